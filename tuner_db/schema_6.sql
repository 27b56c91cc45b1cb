-- Version 6: problems that calls had no winner for. The rows of the other tables stay as they are.

CREATE TABLE miss(
    digest        BLOB    NOT NULL CHECK(length(digest) = 16),
    kernel        TEXT    NOT NULL CHECK(kernel <> ''),
    types         TEXT    NOT NULL,
    bucket        INTEGER NOT NULL CHECK(bucket >= 0),
    alignment     INTEGER NOT NULL CHECK(alignment > 0),
    template_hash TEXT    NOT NULL CHECK(template_hash <> ''),
    device_class  TEXT    NOT NULL CHECK(device_class <> ''),
    sizes         TEXT    NOT NULL,
    kernel_spec   BLOB    NOT NULL CHECK(length(kernel_spec) > 0),
    origin        TEXT    NOT NULL CHECK(origin <> ''),
    configuration TEXT    NOT NULL,
    calls         INTEGER NOT NULL CHECK(calls > 0),
    sessions      INTEGER NOT NULL CHECK(sessions > 0),
    device_name   TEXT    NOT NULL,
    first_at      TEXT    NOT NULL,
    last_at       TEXT    NOT NULL,
    PRIMARY KEY(kernel, types, device_class, alignment, template_hash, sizes)
) STRICT;

PRAGMA user_version = 6;
