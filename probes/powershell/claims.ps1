<#
The claims that PowerShell makes. Each is a script block that sees $name, $source, $mine and $data, and $pwsh, the program itself.
A block that throws, or whose last output is $false, says "no"; anything else is "yes". The block's text is the code that is listed.
Plain ASCII throughout: Windows PowerShell 5.1 reads a script without a byte order mark in the system's code page.

How a caller learns of a refusal is part of the claim, because most cmdlets report one without ending anything:
    New-Item/File                  -ErrorAction Stop, the careful way: every error throws
    New-Item/File+try              try and catch without it: only a terminating error is noticed
    New-Item/File+$?               the success flag, right after the call
    New-Item/File+[void]+$?        the flag after [void](...)
    New-Item/File+function+$?      the flag after a function that made the call
    pwsh -File/New-Item+File       the exit code of a script, as a scheduler sees it
    pwsh -Command/New-Item+File    the exit code of a command line
#>

$claims = [ordered]@{}

# One claim. $needs tells, without making the call, whether this build has it; $source is, for a take, what has to lie on $name.
# Inside a try, any try further out too, an error that only ends its statement ends the whole block; so a block that looks at $?
# is made outside of every try, where people look at it.
function Add-Claim([string]$id, [string]$kind, [string]$makes, [scriptblock]$block, $source, $role, [scriptblock]$needs = { $true }) {
    $guarded = -not "$block".Contains('$?')
    $claims[$id] = @{ id = $id; kind = $kind; makes = $makes; block = $block; guarded = $guarded; source = $source; role = $role; needs = $needs }
}

# A call that makes $name, in each of the ways that are asked for of learning whether it worked. '' is the careful one.
$usual = '', 'try', '$?'
$every = '', 'try', '$?', '[void]+$?', 'function+$?'

function Add-CmdletClaims([string]$id, [string]$makes, [string]$call, $source, [string[]]$ways = $usual) {
    $texts = @{
        '' = "$call -ErrorAction Stop"
        'try' = "try { $call } catch { `$false }"
        '$?' = "$call; `$?"
        '[void]+$?' = "[void]($call); `$?"
        'function+$?' = "function Take { $call }; Take; `$?"
    }
    foreach ($way in $ways) {
        $joint = if (-not $way) { '' } elseif ($id.Contains('/')) { '+' } else { '/' }
        Add-Claim "$id$joint$way" create $makes ([scriptblock]::Create($texts[$way])) $source
    }
}

# New-Item. A directory takes no value but accepts one; no link can be made without one.

foreach ($force in '', '+Force') {
    $switch = if ($force) { ' -Force' } else { '' }
    Add-CmdletClaims "New-Item/File$force" file "New-Item -ItemType File -Path `$name$switch" -ways $every
    Add-CmdletClaims "New-Item/File+Value$force" file "New-Item -ItemType File -Path `$name -Value `$data$switch"
    Add-CmdletClaims "New-Item/Directory$force" empty-dir "New-Item -ItemType Directory -Path `$name$switch" -ways $every
    Add-CmdletClaims "New-Item/Directory+Value$force" empty-dir "New-Item -ItemType Directory -Path `$name -Value `$data$switch" -ways ''
    Add-CmdletClaims "New-Item/SymbolicLink$force" link "New-Item -ItemType SymbolicLink -Path `$name -Value `$source$switch" file -ways $every
    Add-CmdletClaims "New-Item/HardLink$force" file "New-Item -ItemType HardLink -Path `$name -Value `$source$switch" file -ways $every
    Add-CmdletClaims "New-Item/Junction$force" link "New-Item -ItemType Junction -Path `$name -Value `$source$switch" full-dir -ways $every
}

# mkdir is a function around New-Item on Windows and the system's own program elsewhere, whose exit code 7.3 and later can turn
# into an error; md leads to it where there is an md.

Add-Claim 'mkdir' create empty-dir { $ErrorActionPreference = 'Stop'; $PSNativeCommandUseErrorActionPreference = $true; mkdir $name } -needs {
    $IsWindows -ne $false -or (Test-Path Variable:PSNativeCommandUseErrorActionPreference)
}
Add-Claim 'mkdir/try' create empty-dir { try { mkdir $name } catch { $false } }
Add-Claim 'mkdir/$?' create empty-dir { mkdir $name; $? }
Add-Claim 'md/$?' create empty-dir { md $name; $? } -needs { Get-Command md -ErrorAction Ignore }

# Writing cmdlets, redirection, and the ones that know -NoClobber.

Add-Claim 'Set-Content' create file { Set-Content -LiteralPath $name -Value $data -ErrorAction Stop } -role overwrites
Add-Claim 'Set-Content/Force' create file { Set-Content -LiteralPath $name -Value $data -Force -ErrorAction Stop }
Add-Claim 'Add-Content' create file { Add-Content -LiteralPath $name -Value $data -ErrorAction Stop }
Add-Claim 'Add-Content/Force' create file { Add-Content -LiteralPath $name -Value $data -Force -ErrorAction Stop }
Add-CmdletClaims 'Out-File' file '$data | Out-File -LiteralPath $name' -ways ''
Add-CmdletClaims 'Out-File/Append' file '$data | Out-File -LiteralPath $name -Append' -ways ''
Add-CmdletClaims 'Out-File/NoClobber' file '$data | Out-File -LiteralPath $name -NoClobber' -ways $every
Add-CmdletClaims 'Out-File/NoClobber+Force' file '$data | Out-File -LiteralPath $name -NoClobber -Force' -ways ''
Add-CmdletClaims 'Out-File/Append+NoClobber' file '$data | Out-File -LiteralPath $name -Append -NoClobber'
Add-Claim 'redirect/>' create file { $ErrorActionPreference = 'Stop'; $data > $name }
Add-Claim 'redirect/>+$?' create file { $data > $name; $? }
Add-Claim 'redirect/>>' create file { $ErrorActionPreference = 'Stop'; $data >> $name }
Add-Claim 'Tee-Object' create file { $data | Tee-Object -LiteralPath $name -ErrorAction Stop }
Add-Claim 'Tee-Object/Append' create file { $data | Tee-Object -FilePath $name -Append -ErrorAction Stop }
Add-CmdletClaims 'Export-Csv/NoClobber' file '[pscustomobject]@{ owner = $data } | Export-Csv -LiteralPath $name -NoTypeInformation -NoClobber'
Add-CmdletClaims 'Export-Clixml/NoClobber' file '$data | Export-Clixml -LiteralPath $name -NoClobber'
Add-Claim 'Start-Transcript/NoClobber' create file { Start-Transcript -LiteralPath $name -NoClobber -ErrorAction Stop; Stop-Transcript }
Add-Claim 'Start-Transcript/NoClobber+$?' create file { Start-Transcript -LiteralPath $name -NoClobber; $?; try { Stop-Transcript } catch { } }

# Moving, renaming, copying.

foreach ($shape in 'file', 'empty-dir', 'full-dir') {
    $recurse, $whole = if ($shape -eq 'full-dir') { ' -Recurse', '+Recurse' } else { '', '' }
    foreach ($force in '', '+Force') {
        $switch = if ($force) { ' -Force' } else { '' }
        $ways = if ($shape -eq 'file' -and -not $force) { $usual } else { '' }
        Add-CmdletClaims "Move-Item/$shape$force" $shape "Move-Item -LiteralPath `$source -Destination `$name$switch" $shape $ways
        Add-CmdletClaims "Rename-Item/$shape$force" $shape "Rename-Item -LiteralPath `$source -NewName (Split-Path -Leaf `$name)$switch" $shape $ways
        Add-CmdletClaims "Copy-Item/$shape$whole$force" $shape "Copy-Item -LiteralPath `$source -Destination `$name$recurse$switch" $shape $ways
    }
}

# Look first, then make it.

Add-Claim 'Test-Path/Set-Content' create file {
    if (Test-Path -LiteralPath $name) { return $false }
    Set-Content -LiteralPath $name -Value $data -ErrorAction Stop
} -role check-then-act
Add-Claim 'Test-Path/New-Item+File' create file {
    if (Test-Path -LiteralPath $name) { return $false }
    New-Item -ItemType File -Path $name -ErrorAction Stop
}
Add-Claim 'Test-Path/New-Item+File+Force' create file {
    if (Test-Path -LiteralPath $name) { return $false }
    New-Item -ItemType File -Path $name -Force -ErrorAction Stop
}
Add-Claim 'Test-Path/New-Item+Directory+Force' create empty-dir {
    if (Test-Path -LiteralPath $name) { return $false }
    New-Item -ItemType Directory -Path $name -Force -ErrorAction Stop
}
Add-Claim '[IO.File]::Exists/WriteAllText' create file {
    if ([IO.File]::Exists($name)) { return $false }
    [IO.File]::WriteAllText($name, $data)
}

# .NET from PowerShell.

foreach ($mode in 'CreateNew', 'Create', 'OpenOrCreate', 'Append') {
    $text = "`$file = [IO.StreamWriter]::new([IO.File]::Open(`$name, '$mode', 'Write')); `$file.Write(`$data); `$file.Dispose()"
    Add-Claim "[IO.File]::Open/$mode" create file ([scriptblock]::Create($text))
}
Add-Claim 'New-Object IO.FileStream/CreateNew' create file {
    $file = [IO.StreamWriter](New-Object IO.FileStream $name, 'CreateNew' -ErrorAction Stop); $file.Write($data); $file.Dispose()
}
Add-Claim 'New-Object IO.FileStream/CreateNew+try' create file {
    try { $file = [IO.StreamWriter](New-Object IO.FileStream $name, 'CreateNew'); $file.Write($data); $file.Dispose() } catch { $false }
}
Add-Claim 'New-Object IO.FileStream/CreateNew+$?' create file { (New-Object IO.FileStream $name, 'CreateNew').Dispose(); $? }
Add-Claim '[IO.File]::Open/CreateNew+$?' create file { $file = [IO.File]::Open($name, 'CreateNew'); $?; $file.Dispose() }
Add-Claim '[IO.File]::Create' create file { [IO.File]::Create($name).Dispose() }
Add-Claim '[IO.File]::WriteAllText' create file { [IO.File]::WriteAllText($name, $data) }
Add-Claim '[IO.File]::AppendAllText' create file { [IO.File]::AppendAllText($name, $data) }
Add-Claim '[IO.File]::Move' create file { [IO.File]::Move($source, $name) } -source file
Add-Claim '[IO.File]::Move/overwrite' create file { [IO.File]::Move($source, $name, $true) } -source file -needs {
    [IO.File].GetMethod('Move', [type[]]([string], [string], [bool]))
}
Add-Claim '[IO.File]::Copy' create file { [IO.File]::Copy($source, $name) } -source file
Add-Claim '[IO.File]::Copy/overwrite' create file { [IO.File]::Copy($source, $name, $true) } -source file
Add-Claim '[IO.File]::CreateSymbolicLink' create link { [IO.File]::CreateSymbolicLink($name, $source) } -source file -needs {
    [IO.File].GetMethod('CreateSymbolicLink')
}
Add-Claim '[IO.Directory]::CreateDirectory' create empty-dir { [IO.Directory]::CreateDirectory($name) }
Add-Claim '[IO.Directory]::Move/empty-dir' create empty-dir { [IO.Directory]::Move($source, $name) } -source empty-dir
Add-Claim '[IO.Directory]::Move/full-dir' create full-dir { [IO.Directory]::Move($source, $name) } -source full-dir

# The exit code, which is all that a scheduler sees. Standard input is an empty pipe: a child must not read the probe's requests.

# Saves a script to run with -File and gives its path.
function New-Task([string]$text) {
    $path = Join-Path ([IO.Path]::GetTempPath()) "claimgrid-task-$PID.ps1"
    [IO.File]::WriteAllText($path, $text)
    $path
}

Add-Claim 'pwsh -File/New-Item+File' create file {
    $task = New-Task 'param($name) New-Item -ItemType File -Path $name'
    @() | & $pwsh -NoProfile -NonInteractive -File $task $name
    if ($LASTEXITCODE) { throw "exit $LASTEXITCODE" }
} -needs { $pwsh }
Add-Claim 'pwsh -File/New-Item+File+Stop' create file {
    $task = New-Task 'param($name) New-Item -ItemType File -Path $name -ErrorAction Stop'
    @() | & $pwsh -NoProfile -NonInteractive -File $task $name
    if ($LASTEXITCODE) { throw "exit $LASTEXITCODE" }
} -needs { $pwsh }
Add-Claim 'pwsh -Command/New-Item+File' create file {
    $env:LOCK = $name
    @() | & $pwsh -NoProfile -NonInteractive -Command 'New-Item -ItemType File -Path $env:LOCK'
    if ($LASTEXITCODE) { throw "exit $LASTEXITCODE" }
} -needs { $pwsh }
Add-Claim 'pwsh -Command/New-Item+File+more' create file {
    $env:LOCK = $name
    @() | & $pwsh -NoProfile -NonInteractive -Command 'New-Item -ItemType File -Path $env:LOCK; "the work goes on"'
    if ($LASTEXITCODE) { throw "exit $LASTEXITCODE" }
} -needs { $pwsh }

# Taking what exists: into one's own place, or by deleting a token.

foreach ($shape in 'file', 'full-dir') {
    $joint = if ($shape -eq 'file') { '' } else { '+full-dir' }
    Add-Claim "Move-Item/mine$joint" take moved { Move-Item -LiteralPath $name -Destination $mine -ErrorAction Stop } -source $shape
    Add-Claim "Move-Item/mine$joint+Force" take moved { Move-Item -LiteralPath $name -Destination $mine -Force -ErrorAction Stop } -source $shape
}
Add-Claim 'Move-Item/mine+try' take moved { try { Move-Item -LiteralPath $name -Destination $mine } catch { $false } } -source file
Add-Claim 'Move-Item/mine+$?' take moved { Move-Item -LiteralPath $name -Destination $mine; $? } -source file
Add-Claim 'Move-Item/mine+SilentlyContinue' take moved { Move-Item -LiteralPath $name -Destination $mine -ErrorAction SilentlyContinue } -source file
Add-Claim 'Remove-Item' take gone { Remove-Item -LiteralPath $name -ErrorAction Stop } -source file
Add-Claim 'Remove-Item/try' take gone { try { Remove-Item -LiteralPath $name } catch { $false } } -source file
Add-Claim 'Remove-Item/$?' take gone { Remove-Item -LiteralPath $name; $? } -source file
Add-Claim 'Remove-Item/Force' take gone { Remove-Item -LiteralPath $name -Force -ErrorAction Stop } -source file
Add-Claim 'Remove-Item/Ignore' take gone { Remove-Item -LiteralPath $name -ErrorAction Ignore } -source file
Add-Claim 'Remove-Item/SilentlyContinue' take gone { Remove-Item -LiteralPath $name -ErrorAction SilentlyContinue } -source file
Add-Claim 'Remove-Item/SilentlyContinue+$?' take gone { Remove-Item -LiteralPath $name -ErrorAction SilentlyContinue; $? } -source file
Add-Claim 'Remove-Item/empty-dir' take gone { Remove-Item -LiteralPath $name -ErrorAction Stop } -source empty-dir
Add-Claim 'Remove-Item/full-dir+Recurse+Force' take gone { Remove-Item -LiteralPath $name -Recurse -Force -ErrorAction Stop } -source full-dir
Add-Claim '[IO.File]::Delete' take gone { [IO.File]::Delete($name) } -source file
Add-Claim '[IO.File]::Move/mine' take moved { [IO.File]::Move($name, $mine) } -source file
Add-Claim '[IO.Directory]::Move/mine' take moved { [IO.Directory]::Move($name, $mine) } -source full-dir
Add-Claim '[IO.Directory]::Delete' take gone { [IO.Directory]::Delete($name) } -source empty-dir

# Held while the handle that the block gives is open, and only looking.

Add-Claim '[IO.File]::Open/OpenOrCreate+None' held file { [IO.File]::Open($name, 'OpenOrCreate', 'ReadWrite', 'None') }
Add-Claim '[IO.FileStream]::new/CreateNew+DeleteOnClose' held file {
    [IO.FileStream]::new($name, 'CreateNew', 'ReadWrite', 'None', 4096, 'DeleteOnClose')
}
Add-Claim 'Get-Content' look nothing { Get-Content -LiteralPath $name -ErrorAction Stop }
Add-Claim '[IO.File]::ReadAllText' look nothing { [IO.File]::ReadAllText($name) }
