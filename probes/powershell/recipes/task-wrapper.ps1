# Starts a Node task under a lock, logs when it began and ended, and passes its exit code on.
param([string] $Name)

try {
    $held = [IO.File]::Open($Name, [IO.FileMode]::OpenOrCreate, [IO.FileAccess]::ReadWrite, [IO.FileShare]::None)
} catch [IO.IOException] {
    exit 1
}
try {
    $log = "$Name.log"
    Add-Content -Path $log -Value "$(Get-Date -Format o) $PID begins"
    # The task says when it works, and works until it is told to end.
    node -e 'console.log("acquired"); process.stdin.resume().on("end", () => process.exit(0))'
    $code = $LASTEXITCODE
    Add-Content -Path $log -Value "$(Get-Date -Format o) $PID ends with $code"
} finally {
    $held.Dispose()
}
exit $code
