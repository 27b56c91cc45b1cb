int shards_placeholder;
