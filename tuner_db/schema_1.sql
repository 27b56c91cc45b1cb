-- The tuning database, version 1; schema_2.sql leads on from it, also in a new database.
-- docs/reference/database.md explains every column.
--
-- SQLite keeps the text of each statement, and a database whose text differs by one byte is refused.
-- So these statements never change: a new version is a new file, which the build finds by its name.

-- Every verdict on a configuration, append-only; the digest over the other columns is its identity.
CREATE TABLE measurement(
    digest        BLOB    NOT NULL PRIMARY KEY CHECK(length(digest) = 16),
    kernel        TEXT    NOT NULL CHECK(kernel <> ''),
    types         TEXT    NOT NULL,
    bucket        INTEGER NOT NULL CHECK(bucket >= 0),
    alignment     INTEGER NOT NULL CHECK(alignment > 0),
    template_hash TEXT    NOT NULL CHECK(template_hash <> ''),
    device_class  TEXT    NOT NULL CHECK(device_class <> ''),
    sizes         TEXT    NOT NULL,
    configuration TEXT    NOT NULL,
    verdict       TEXT    NOT NULL CHECK(verdict IN ('timed', 'compile_failed', 'launch_failed',
                                                     'wrong_result', 'timed_out', 'crashed')),
    reason        TEXT    NOT NULL,
    conditions    TEXT    NOT NULL,
    samples_ns    BLOB    NOT NULL CHECK(length(samples_ns) % 8 = 0),
    device_name   TEXT    NOT NULL,
    device_uuid   TEXT    NOT NULL,
    driver        TEXT    NOT NULL,
    compiler      TEXT    NOT NULL,
    created_at    TEXT    NOT NULL,
    CHECK((verdict = 'timed') = (length(samples_ns) > 0)),
    CHECK(verdict <> 'timed' OR reason = '')
) STRICT;

CREATE INDEX measurement_key
    ON measurement(kernel, types, device_class, bucket, alignment, template_hash);

-- The configuration that dispatch uses for a key, with everything a launch needs.
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
    image_format      TEXT    NOT NULL CHECK(image_format IN ('cubin', 'ptx', 'so')),
    image             BLOB    NOT NULL CHECK(length(image) > 0),
    symbols           TEXT    NOT NULL CHECK(symbols <> ''),
    device_name       TEXT    NOT NULL,
    device_uuid       TEXT    NOT NULL,
    driver            TEXT    NOT NULL,
    compiler          TEXT    NOT NULL,
    created_at        TEXT    NOT NULL,
    PRIMARY KEY(kernel, types, device_class, bucket, alignment, template_hash)
) STRICT;

PRAGMA application_id = 0x6a69746e;
PRAGMA user_version = 1;
