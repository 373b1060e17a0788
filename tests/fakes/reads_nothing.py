"""Says hello without being asked, and never reads what it is told."""

import time

from speaking import send

send({"protocol": 1, "runtime": "fake", "version": "1.0.0"})
while True:
    time.sleep(3600)
