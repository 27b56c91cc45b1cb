-- The tuning database of jitune 0.2. docs/reference/database.md explains every column.
--
-- SQLite keeps the text of each statement, and a database whose text differs by one byte is refused. So once 0.2 is
-- released, these statements never change: a new version is a new file, which leads on from this one, also in a new
-- database. Versions 1 to 9 were of development.

-- Every verdict on a configuration, append-only; the digest over the other columns but median_ns and noise is its
-- identity. These two follow from samples_ns, for people: jitune never reads them.
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
    reproducibility TEXT  NOT NULL DEFAULT 'fixed' CHECK(reproducibility IN ('exact', 'fixed', 'any')),
    median_ns     REAL,
    noise         REAL,
    figures       TEXT    NOT NULL DEFAULT '',
    CHECK((verdict = 'timed') = (length(samples_ns) > 0)),
    CHECK(verdict <> 'timed' OR reason = '')
) STRICT;

CREATE INDEX measurement_key
    ON measurement(kernel, types, device_class, bucket, alignment, template_hash);

-- Finds the comparisons between sizes, which are few among the measurements of a kernel.
CREATE INDEX measurement_compared
    ON measurement(kernel, types, device_class, alignment, template_hash)
    WHERE instr(conditions, 'compared');

-- Finds what refutes a winner.
CREATE INDEX measurement_wrong
    ON measurement(kernel, types, device_class, alignment, template_hash, configuration, created_at)
    WHERE verdict = 'wrong_result';

-- The configurations that dispatch uses, with all that a launch needs. Rows of different origin may share sizes and
-- configuration, so the digest alone is the identity. A row without code came from a database whose code is not
-- trusted.
CREATE TABLE winner(
    digest            BLOB    NOT NULL PRIMARY KEY CHECK(length(digest) = 16),
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
    image_format      TEXT    NOT NULL CHECK(image_format IN ('cubin', 'ptx', 'so', 'placement', 'none')),
    image             BLOB    NOT NULL CHECK((length(image) > 0) = (image_format <> 'none')),
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
    by_default        INTEGER NOT NULL DEFAULT 0 CHECK(by_default IN (0, 1)),
    CHECK(image_format <> 'none' OR unsure = 1)
) STRICT;

-- What finds the row for a size, so that images are not read on the way.
CREATE INDEX winner_range ON winner(kernel, types, device_class, alignment, template_hash,
                                    created_at, sizes, covers, unsure);

-- The order in which winners are listed.
CREATE INDEX winner_list ON winner(kernel, types, device_class, bucket, sizes, configuration, created_at, digest);

-- Winners that a person has chosen to keep, by their ids.
CREATE TABLE pin(
    digest    BLOB NOT NULL CHECK(length(digest) = 16),
    winner    TEXT NOT NULL PRIMARY KEY CHECK(length(winner) = 32),
    pinned_at TEXT NOT NULL
) STRICT;

-- Who tunes a problem now.
CREATE TABLE lease(
    key_digest BLOB    NOT NULL PRIMARY KEY CHECK(length(key_digest) = 16),
    owner      TEXT    NOT NULL CHECK(owner <> ''),
    expires_at INTEGER NOT NULL
) STRICT;

-- Calls that answers have served. A row with a kernel_spec is a miss, of the work-list: a problem that calls had no
-- winner for. A row without one is a use, of exact sizes by one answer.
CREATE TABLE call(
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
    kernel_spec   BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX call_missed ON call(kernel, types, device_class, alignment, template_hash, sizes)
    WHERE kernel_spec <> x'';

CREATE UNIQUE INDEX call_used
    ON call(kernel, types, device_class, alignment, template_hash, sizes, configuration, origin, winner_at)
    WHERE kernel_spec = x'';

-- How long calls have waited.
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

-- Merges that have added something, the last one with what takes it back.
CREATE TABLE merge(
    digest       BLOB    NOT NULL CHECK(length(digest) = 16),
    number       INTEGER NOT NULL PRIMARY KEY CHECK(number > 0),
    source       TEXT    NOT NULL,
    merged_at    TEXT    NOT NULL,
    code_trusted INTEGER NOT NULL CHECK(code_trusted IN (0, 1)),
    measurements INTEGER NOT NULL CHECK(measurements >= 0),
    winners      INTEGER NOT NULL CHECK(winners >= 0)
) STRICT;

-- The sizes that merges have brought for a winner, which do not come a second time, and what has decided.
CREATE TABLE merged_winner(
    digest  BLOB    NOT NULL CHECK(length(digest) = 16),
    content TEXT    NOT NULL PRIMARY KEY CHECK(length(content) = 32),
    winner  TEXT    NOT NULL CHECK(length(winner) = 32),
    merge   INTEGER NOT NULL CHECK(merge > 0),
    covers  TEXT    NOT NULL,
    outcome TEXT    NOT NULL CHECK(outcome IN ('new', 'before', 'behind', 'no code', 'unsure')),
    reason  TEXT    NOT NULL
) STRICT;

CREATE INDEX merged_winner_id ON merged_winner(winner);

CREATE TABLE merge_step(
    digest BLOB    NOT NULL CHECK(length(digest) = 16),
    merge  INTEGER NOT NULL CHECK(merge > 0),
    number INTEGER NOT NULL CHECK(number > 0),
    kind   TEXT    NOT NULL CHECK(kind IN ('measurement', 'winner', 'merged_winner')),
    name   TEXT    NOT NULL,
    before BLOB    NOT NULL,
    PRIMARY KEY(merge, number)
) STRICT;

-- For people, in any SQLite tool. jitune itself reads no view.
CREATE VIEW winners AS SELECT
    kernel,
    types,
    CASE covers WHEN '' THEN sizes ELSE covers END AS sizes,
    CASE by_default WHEN 1 THEN 'the default' ELSE configuration END AS configuration,
    round(median_ns / 1000, 3) AS time_us,
    CASE WHEN default_median_ns > 0 THEN round(default_median_ns / median_ns, 3) END AS speed_up,
    CASE WHEN speed_up_high > 0 THEN round(speed_up_low, 3) END AS speed_up_low,
    CASE WHEN speed_up_high > 0 THEN round(speed_up_high, 3) END AS speed_up_high,
    CASE WHEN loss_bound > 0 THEN round((loss_bound - 1) * 100, 2) END AS loss_percent,
    held_out AS held_out_sizes,
    CASE unsure WHEN 1 THEN 'yes' ELSE 'no' END AS unsure,
    CASE image_format WHEN 'none' THEN 'no' ELSE 'yes' END AS has_code,
    round(julianday('now') - julianday(created_at), 1) AS age_days,
    (SELECT sum(calls) FROM call AS u WHERE u.kernel = winner.kernel AND u.types = winner.types
        AND u.device_class = winner.device_class AND u.alignment = winner.alignment
        AND u.template_hash = winner.template_hash AND u.configuration = winner.configuration
        AND u.winner_at = winner.created_at AND u.origin IN ('stored', 'tuned')
        AND u.kernel_spec = x'') AS calls,
    device_name AS device,
    driver,
    compiler,
    device_class,
    created_at
FROM winner;

CREATE VIEW coverage AS SELECT
    kernel,
    types,
    device_class,
    alignment,
    template_hash,
    count(*) AS winners,
    count(DISTINCT CASE by_default WHEN 1 THEN 'the default' ELSE configuration END) AS configurations,
    sum(unsure) AS unsure,
    CASE WHEN max(loss_bound) > 0 THEN round((max(loss_bound) - 1) * 100, 2) END AS worst_loss_percent,
    group_concat(CASE unsure WHEN 0 THEN CASE covers WHEN '' THEN sizes ELSE covers END END, '; ') AS served,
    min(created_at) AS oldest,
    max(created_at) AS newest
FROM winner
GROUP BY kernel, types, device_class, alignment, template_hash;

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

PRAGMA application_id = 0x6a69746e;
PRAGMA user_version = 10;
