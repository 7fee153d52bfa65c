"""The release wing: labelled chains become splits, parquet files, a dataset card and PERL JSON."""
