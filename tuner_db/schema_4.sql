-- Version 4: winners that are no code but a placement, the image of which is its name expression. The
-- columns are those of version 3, and so are the digests.

ALTER TABLE winner RENAME TO winner_3;

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
    PRIMARY KEY(kernel, types, device_class, bucket, alignment, template_hash)
) STRICT;

INSERT INTO winner SELECT * FROM winner_3;

DROP TABLE winner_3;

PRAGMA user_version = 4;
