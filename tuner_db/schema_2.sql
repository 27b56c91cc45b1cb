-- Version 2: the reduction-order class of each configuration. Every configuration of version 1 had a
-- fixed order. row.cpp says why the digests need no change.

ALTER TABLE measurement ADD COLUMN
    reproducibility TEXT NOT NULL DEFAULT 'fixed'
    CHECK(reproducibility IN ('exact', 'fixed', 'any'));

ALTER TABLE winner ADD COLUMN
    reproducibility TEXT NOT NULL DEFAULT 'fixed'
    CHECK(reproducibility IN ('exact', 'fixed', 'any'));

PRAGMA user_version = 2;
