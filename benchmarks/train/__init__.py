"""Training, measured beside other trainers."""
