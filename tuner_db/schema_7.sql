-- Version 7: calls that answers have served, and how long calls have waited. The rows of the other tables stay as they
-- are.

CREATE TABLE usage(
    digest        BLOB    NOT NULL CHECK(length(digest) = 16),
    kernel        TEXT    NOT NULL CHECK(kernel <> ''),
    types         TEXT    NOT NULL,
    bucket        INTEGER NOT NULL CHECK(bucket >= 0),
    alignment     INTEGER NOT NULL CHECK(alignment > 0),
    template_hash TEXT    NOT NULL CHECK(template_hash <> ''),
    device_class  TEXT    NOT NULL CHECK(device_class <> ''),
    sizes         TEXT    NOT NULL,
    configuration TEXT    NOT NULL,
    origin        TEXT    NOT NULL CHECK(origin <> ''),
    winner_at     TEXT    NOT NULL,
    calls         INTEGER NOT NULL CHECK(calls > 0),
    sessions      INTEGER NOT NULL CHECK(sessions > 0),
    device_name   TEXT    NOT NULL,
    first_at      TEXT    NOT NULL,
    last_at       TEXT    NOT NULL,
    PRIMARY KEY(kernel, types, device_class, alignment, template_hash, sizes, configuration, origin, winner_at)
) STRICT;

CREATE TABLE pause(
    digest        BLOB    NOT NULL CHECK(length(digest) = 16),
    kernel        TEXT    NOT NULL CHECK(kernel <> ''),
    types         TEXT    NOT NULL,
    device_name   TEXT    NOT NULL,
    origin        TEXT    NOT NULL CHECK(origin <> ''),
    pauses        INTEGER NOT NULL CHECK(pauses > 0),
    longest_us    INTEGER NOT NULL CHECK(longest_us > 0),
    longest_sizes TEXT    NOT NULL,
    first_at      TEXT    NOT NULL,
    last_at       TEXT    NOT NULL,
    PRIMARY KEY(kernel, types, device_name, origin)
) STRICT;

-- For people, as before, with the recorded calls that the configuration has answered.
DROP VIEW ranges;

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
    (SELECT sum(calls) FROM usage AS u WHERE u.kernel = winner.kernel AND u.types = winner.types
        AND u.device_class = winner.device_class AND u.alignment = winner.alignment
        AND u.template_hash = winner.template_hash AND u.configuration = winner.configuration
        AND u.winner_at = winner.created_at AND u.origin IN ('stored', 'tuned')) AS calls,
    device_name AS device
FROM winner;

-- Winners whose times may not hold any more, until they are raced again.
CREATE TABLE doubt(
    digest        BLOB    NOT NULL CHECK(length(digest) = 16),
    kernel        TEXT    NOT NULL CHECK(kernel <> ''),
    types         TEXT    NOT NULL,
    bucket        INTEGER NOT NULL CHECK(bucket >= 0),
    alignment     INTEGER NOT NULL CHECK(alignment > 0),
    template_hash TEXT    NOT NULL CHECK(template_hash <> ''),
    device_class  TEXT    NOT NULL CHECK(device_class <> ''),
    sizes         TEXT    NOT NULL,
    configuration TEXT    NOT NULL,
    winner_at     TEXT    NOT NULL,
    reason        TEXT    NOT NULL CHECK(reason IN ('slow', 'driver')),
    called        TEXT    NOT NULL,
    kernel_spec   BLOB    NOT NULL,
    served_ns     REAL    NOT NULL CHECK(served_ns >= 0 AND served_ns < 9e999),
    expected_ns   REAL    NOT NULL CHECK(expected_ns >= 0 AND expected_ns < 9e999),
    driver        TEXT    NOT NULL,
    device_name   TEXT    NOT NULL,
    reports       INTEGER NOT NULL CHECK(reports > 0),
    first_at      TEXT    NOT NULL,
    last_at       TEXT    NOT NULL,
    PRIMARY KEY(kernel, types, device_class, alignment, template_hash, sizes, configuration)
) STRICT;

-- Tries of configurations inside calls that winners served, with what they have cost and shown.
CREATE TABLE exploration(
    digest        BLOB    NOT NULL CHECK(length(digest) = 16),
    kernel        TEXT    NOT NULL CHECK(kernel <> ''),
    types         TEXT    NOT NULL,
    bucket        INTEGER NOT NULL CHECK(bucket >= 0),
    alignment     INTEGER NOT NULL CHECK(alignment > 0),
    template_hash TEXT    NOT NULL CHECK(template_hash <> ''),
    device_class  TEXT    NOT NULL CHECK(device_class <> ''),
    sizes         TEXT    NOT NULL,
    configuration TEXT    NOT NULL,
    winner        TEXT    NOT NULL,
    outcome       TEXT    NOT NULL CHECK(outcome IN ('open', 'faster', 'replaced', 'slower', 'differs', 'failed')),
    reason        TEXT    NOT NULL,
    kernel_spec   BLOB    NOT NULL,
    tries         INTEGER NOT NULL CHECK(tries >= 0),
    cost_ns       REAL    NOT NULL CHECK(cost_ns >= 0 AND cost_ns < 9e999),
    served_ns     REAL    NOT NULL CHECK(served_ns >= 0 AND served_ns < 9e999),
    tried_ns      REAL    NOT NULL CHECK(tried_ns >= 0 AND tried_ns < 9e999),
    ratio_low     REAL    NOT NULL CHECK(ratio_low >= 0 AND ratio_low < 9e999),
    ratio_high    REAL    NOT NULL CHECK(ratio_high >= 0 AND ratio_high < 9e999),
    device_name   TEXT    NOT NULL,
    first_at      TEXT    NOT NULL,
    last_at       TEXT    NOT NULL,
    PRIMARY KEY(kernel, types, device_class, alignment, template_hash, sizes, configuration, winner)
) STRICT;

-- Code that answers have needed and that is no winner's, so that it is compiled once.
CREATE TABLE binary(
    digest        BLOB    NOT NULL CHECK(length(digest) = 16),
    kernel        TEXT    NOT NULL CHECK(kernel <> ''),
    types         TEXT    NOT NULL,
    configuration TEXT    NOT NULL,
    template_hash TEXT    NOT NULL CHECK(template_hash <> ''),
    device_class  TEXT    NOT NULL CHECK(device_class <> ''),
    instance      TEXT    NOT NULL CHECK(instance <> ''),
    compiler      TEXT    NOT NULL CHECK(compiler <> ''),
    image_format  TEXT    NOT NULL CHECK(image_format <> ''),
    symbols       TEXT    NOT NULL CHECK(symbols <> ''),
    used_at       TEXT    NOT NULL,
    image         BLOB    NOT NULL CHECK(length(image) > 0),
    PRIMARY KEY(template_hash, device_class, instance, compiler)
) STRICT;

PRAGMA user_version = 7;
