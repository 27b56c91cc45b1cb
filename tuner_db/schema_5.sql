-- Version 5: winners that serve ranges of sizes. Older winners serve the sizes that they were tuned at. Their
-- digests hold: docs/reference/database.md says why.

ALTER TABLE winner RENAME TO winner_4;

CREATE TABLE winner(
    digest            BLOB    NOT NULL CHECK(length(digest) = 16),
    kernel            TEXT    NOT NULL CHECK(kernel <> ''),
    types             TEXT    NOT NULL,
    bucket            INTEGER NOT NULL CHECK(bucket >= 0),
    alignment         INTEGER NOT NULL CHECK(alignment > 0),
    template_hash     TEXT    NOT NULL CHECK(template_hash <> ''),
    device_class      TEXT    NOT NULL CHECK(device_class <> ''),
    sizes             TEXT    NOT NULL,
    configuration     TEXT    NOT NULL,
    median_ns         REAL    NOT NULL CHECK(median_ns > 0 AND median_ns < 9e999),
    noise             REAL    NOT NULL CHECK(noise >= 0 AND noise < 9e999),
    default_median_ns REAL    NOT NULL CHECK(default_median_ns >= 0 AND default_median_ns < 9e999),
    complete          INTEGER NOT NULL CHECK(complete IN (0, 1)),
    image_format      TEXT    NOT NULL CHECK(image_format IN ('cubin', 'ptx', 'so', 'placement')),
    image             BLOB    NOT NULL CHECK(length(image) > 0),
    symbols           TEXT    NOT NULL CHECK(symbols <> ''),
    device_name       TEXT    NOT NULL,
    device_uuid       TEXT    NOT NULL,
    driver            TEXT    NOT NULL,
    compiler          TEXT    NOT NULL,
    created_at        TEXT    NOT NULL,
    reproducibility   TEXT    NOT NULL DEFAULT 'fixed'
                              CHECK(reproducibility IN ('exact', 'fixed', 'any')),
    conditions        TEXT    NOT NULL DEFAULT '',
    uncertainty       REAL    NOT NULL DEFAULT 0.0 CHECK(uncertainty >= 0 AND uncertainty < 9e999),
    speed_up_low      REAL    NOT NULL DEFAULT 0.0 CHECK(speed_up_low >= 0 AND speed_up_low < 9e999),
    speed_up_high     REAL    NOT NULL DEFAULT 0.0
                              CHECK(speed_up_high >= speed_up_low AND speed_up_high < 9e999),
    covers            TEXT    NOT NULL DEFAULT '',
    loss_bound        REAL    NOT NULL DEFAULT 0.0 CHECK(loss_bound >= 0 AND loss_bound < 9e999),
    held_out          INTEGER NOT NULL DEFAULT 0 CHECK(held_out >= 0),
    unsure            INTEGER NOT NULL DEFAULT 0 CHECK(unsure IN (0, 1)),
    PRIMARY KEY(kernel, types, device_class, alignment, template_hash, sizes, configuration)
) STRICT;

INSERT INTO winner SELECT *, '', 0.0, 0, 0 FROM winner_4;

DROP TABLE winner_4;

-- What finds the row for a size, so that images are not read on the way.
CREATE INDEX winner_range ON winner(kernel, types, device_class, alignment, template_hash,
                                    created_at, sizes, covers, unsure);

-- Finds the comparisons between sizes, which are few among the measurements of a kernel.
CREATE INDEX measurement_compared
    ON measurement(kernel, types, device_class, alignment, template_hash)
    WHERE instr(conditions, 'compared');

-- For people. jitune itself reads no view.
CREATE VIEW ranges AS SELECT
    kernel,
    types,
    CASE covers WHEN '' THEN sizes ELSE covers END AS sizes,
    configuration,
    round(median_ns / 1000, 3) AS time_us,
    CASE WHEN default_median_ns > 0 THEN round(default_median_ns / median_ns, 3) END AS speed_up,
    CASE WHEN loss_bound > 0 THEN round((loss_bound - 1) * 100, 2) END AS loss_percent,
    held_out AS held_out_sizes,
    CASE unsure WHEN 1 THEN 'yes' ELSE 'no' END AS unsure,
    round(julianday('now') - julianday(created_at), 1) AS age_days,
    device_name AS device
FROM winner;

PRAGMA user_version = 5;
