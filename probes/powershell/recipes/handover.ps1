# Written beside, and moved over the name.
param([string] $Name, [string] $Content)

$beside = "$Name.$PID.tmp"
Copy-Item -Path $Content -Destination $beside
Move-Item -Path $beside -Destination $Name -Force
