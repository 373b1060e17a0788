@echo off
rem A file that stays is open for writing as long as the block runs; nobody else can open it for writing meanwhile.
2>nul (
  9>>%1 (
    echo acquired
    set /p ignored=
    rem Success, whatever the input was.
    ver >nul
  )
) || exit /b 1
