"""The report: one page and one Markdown file from results, the same bytes for the same results."""
