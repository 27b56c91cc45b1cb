-- Version 3: how sure a winner is, and who is tuning what. The values that older winners get say that
-- it is not known. row.cpp says why their digests need no change.

ALTER TABLE winner ADD COLUMN conditions TEXT NOT NULL DEFAULT '';

ALTER TABLE winner ADD COLUMN
    uncertainty REAL NOT NULL DEFAULT 0.0 CHECK(uncertainty >= 0 AND uncertainty < 9e999);

ALTER TABLE winner ADD COLUMN
    speed_up_low REAL NOT NULL DEFAULT 0.0 CHECK(speed_up_low >= 0 AND speed_up_low < 9e999);

ALTER TABLE winner ADD COLUMN
    speed_up_high REAL NOT NULL DEFAULT 0.0
    CHECK(speed_up_high >= speed_up_low AND speed_up_high < 9e999);

-- Who tunes a key, so that others need not. A row counts until it expires or its owner has ended.
CREATE TABLE lease(
    key_digest BLOB    NOT NULL PRIMARY KEY CHECK(length(key_digest) = 16),
    owner      TEXT    NOT NULL CHECK(owner <> ''),
    expires_at INTEGER NOT NULL
) STRICT;

PRAGMA user_version = 3;
