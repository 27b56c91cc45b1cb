-- Version 9: a measurement may have figures beside its times, such as energy and hardware counters.
ALTER TABLE measurement ADD COLUMN figures TEXT NOT NULL DEFAULT '';

-- For people, in any SQLite tool. jitune itself reads no view.
DROP VIEW IF EXISTS candidates;
CREATE VIEW candidates AS SELECT
    kernel,
    types,
    sizes,
    configuration,
    verdict,
    round(median_ns / 1000, 3) AS time_us,
    round(noise * 100, 2) AS noise_percent,
    length(samples_ns) / 8 AS samples,
    CASE WHEN json_valid(figures) THEN json_extract(figures, '$.energy_j') END AS energy_j,
    conditions,
    figures,
    reason,
    device_name AS device,
    driver,
    compiler,
    device_class,
    created_at
FROM measurement;

PRAGMA user_version = 9;
