@echo off
rem A directory is the lock: mkdir fails when there is one.
mkdir %1 2>nul
if errorlevel 1 exit /b 1
echo acquired
set /p ignored=
rmdir %1
