"""Judging recipes: any command, put through every schedule with one pause or one kill, by which of its promises it keeps."""
