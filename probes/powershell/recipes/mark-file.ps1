# A mark that says who placed it, when, and for how long it counts. A limit of 0 was placed by a person: never taken over.
param([string] $Name)

$mine = @{ who = [Environment]::MachineName; pid = $PID; when = (Get-Date).ToUniversalTime().ToString('o'); limitMinutes = 30 } | ConvertTo-Json -Compress

function Set-Mark {
    try {
        New-Item -ItemType File -Path $Name -Value $mine -ErrorAction Stop | Out-Null
        $true
    } catch [System.IO.IOException] {
        $false
    }
}

if (-not (Set-Mark)) {
    try {
        $limit = (Get-Content -Path $Name -Raw -ErrorAction Stop | ConvertFrom-Json -ErrorAction Stop).limitMinutes
        $age = (Get-Date) - (Get-Item -Path $Name -ErrorAction Stop).LastWriteTime
    } catch {
        [Console]::Error.WriteLine("$Name cannot be read: $_")
        exit 2
    }
    if ($null -eq $limit) { exit 2 }
    if ($limit -le 0 -or $age.TotalMinutes -lt $limit) { exit 1 }
    Remove-Item -Path $Name
    if (-not (Set-Mark)) { exit 1 }
}
[Console]::Out.WriteLine('acquired')
$null = [Console]::In.ReadToEnd()
if ((Get-Content -Path $Name -Raw) -eq $mine) { Remove-Item -Path $Name }
