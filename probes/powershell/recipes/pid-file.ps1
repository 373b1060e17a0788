# A lock file with the pid in it. When that process is dead, its file is overwritten.
param([string] $Name)

try {
    New-Item -ItemType File -Path $Name -Value "$PID" -ErrorAction Stop | Out-Null
} catch [System.IO.IOException] {
    $holder = Get-Content -Path $Name
    if (Get-Process -Id $holder -ErrorAction SilentlyContinue) { exit 1 }
    Set-Content -Path $Name -Value "$PID" -NoNewline
}
[Console]::Out.WriteLine('acquired')
$null = [Console]::In.ReadToEnd()
Remove-Item -Path $Name
