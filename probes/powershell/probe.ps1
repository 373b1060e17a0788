<#
The probe for PowerShell 7 and Windows PowerShell 5.1: the conversation of ../PROTOCOL.md. The claims are in claims.ps1.
It leaves the session as a person finds it (no strict mode, no other error preference): those decide what a claim's caller learns.
#>

# Progress bars would go to standard output, and no redirection stops them.
$ProgressPreference = 'SilentlyContinue'

# The program that is running, for the claims that start it again; nothing where PowerShell is hosted by another program.
$pwsh = Get-ChildItem -Path "$PSHOME/*" -Include pwsh, pwsh.exe, powershell.exe | Select-Object -First 1 -ExpandProperty FullName

. (Join-Path $PSScriptRoot claims.ps1)

$utf8 = New-Object Text.UTF8Encoding $false
$requests = New-Object IO.StreamReader ([Console]::OpenStandardInput()), $utf8
$answers = New-Object IO.StreamWriter ([Console]::OpenStandardOutput()), $utf8
$held = @{}
# What a race of held claims has won. It stays open until the next request: only then have all contenders finished.
$won = New-Object Collections.ArrayList
$millisecond = [Diagnostics.Stopwatch]::Frequency / 1000.0

# `NewItemIOError` of `NewItemIOError,Microsoft.PowerShell.Commands.NewItemCommand`.
function Get-ErrorId($caught) { $caught.FullyQualifiedErrorId.Split(',')[0] }

# What a caller can test in an error that was caught. .NET gives the system's own errno as HResult on Unix: 17 is EEXIST.
function Get-Refusal([Management.Automation.ErrorRecord]$caught) {
    $exception = $caught.Exception
    while ($exception -is [Management.Automation.MethodInvocationException] -and $exception.InnerException) {
        $exception = $exception.InnerException
    }
    $message = $exception.Message
    $refusal = @{ said = 'no'; error = Get-ErrorId $caught }
    $refusal.message = $message.Substring(0, [Math]::Min(500, $message.Length))
    # An exit code, turned into an error by the block itself or by PowerShell, tells nothing more.
    if ($exception.GetType().Name -notin 'RuntimeException', 'NativeCommandExitException') {
        $refusal.code = '0x{0:X8}' -f $exception.HResult
        $refusal.exists = $caught.CategoryInfo.Category -eq 'ResourceExists' -or $refusal.code -in '0x80070050', '0x800700B7', '0x00000011'
    }
    $refusal
}

function Test-Supported($claim) {
    if ($null -eq $claim.supported) { $claim.supported = [bool](& $claim.needs) }
    $claim.supported
}

# The text of the block as it would stand by itself, the same from a checkout with any line ends.
function Get-Code($claim) { ("$($claim.block)" -replace '\r|(?m)^    ', '').Trim() }

function Get-Listing {
    $listing = foreach ($claim in $claims.Values) {
        $entry = [ordered]@{ id = $claim.id; kind = $claim.kind; code = Get-Code $claim; makes = $claim.makes; source = $claim.source }
        $entry.supported = Test-Supported $claim
        if ($claim.role) { $entry.role = $claim.role }
        if ($claim.id.StartsWith('New-Item/HardLink')) { $entry.via = 'hard-link' }
        $entry
    }
    @{ claims = @($listing) }
}

function Close-Held($id) {
    if (-not $held.ContainsKey($id)) { return @{ fault = "nothing is held as $id" } }
    $held[$id].Dispose()
    $held.Remove($id)
    @{ said = 'yes' }
}

function Get-Answer($request) {
    if ($request.do -eq 'hello') { return @{ protocol = 1; runtime = 'powershell'; version = "$($PSVersionTable.PSVersion)" } }
    if ($request.do -eq 'list') { return Get-Listing }
    if ($request.do -eq 'clock') { return @{ clock = [Diagnostics.Stopwatch]::GetTimestamp() / $millisecond } }
    if ($request.do -eq 'release') { return Close-Held $request.holds }
    if ($request.do -notin 'claim', 'race') { return @{ fault = "no such request: $($request.do)" } }
    $claim = $claims["$($request.claim)"]
    if (-not $claim) { return @{ fault = "no such claim: $($request.claim)" } }
    if (-not (Test-Supported $claim)) { return @{ said = 'unsupported'; message = "$($claim.needs)".Trim() + ' is not there' } }
    Invoke-Race $claim $request
}

# What the loop at the end does for one claim, once per round at its time.
function Invoke-Race($claim, $request) {
    $block = $claim.block
    $guarded = $claim.guarded
    $data = $request.data
    $count = [int]$request.rounds
    $start = [double]$request.start * $millisecond
    $gap = [double]$request.gap * $millisecond
    $longWait = 20 * $millisecond
    $names, $sources, $mines = foreach ($path in $request.name, $request.source, $request.mine) {
        , [string[]]@(for ($round = 0; $round -lt $count; $round++) { if ($path) { "$path$round" } else { '' } })
    }
    $yes = New-Object int[] $count
    $began = New-Object long[] $count
    $ended = New-Object long[] $count
    $caught = New-Object object[] $count
    for ($round = 0; $round -lt $count; $round++) {
        $due = [long]($start + $round * $gap)
        $name = $names[$round]
        $source = $sources[$round]
        $mine = $mines[$round]
        $output = $null
        $early = $due - [Diagnostics.Stopwatch]::GetTimestamp()
        if ($early -gt $longWait) { [Threading.Thread]::Sleep([int](($early - $longWait) / $millisecond)) }
        do { $now = [Diagnostics.Stopwatch]::GetTimestamp() } while ($now -lt $due)
        $yes[$round] = 1
        if ($guarded) {
            try {
                $output = & $block
                $ended[$round] = [Diagnostics.Stopwatch]::GetTimestamp()
            } catch {
                $ended[$round] = [Diagnostics.Stopwatch]::GetTimestamp()
                $yes[$round] = 0
                $caught[$round] = $_
            }
        } else {
            $output = & $block
            $ended[$round] = [Diagnostics.Stopwatch]::GetTimestamp()
        }
        $began[$round] = $now
        if ($output -is [array]) { $output = $output[-1] }
        if ($output -is [bool] -and -not $output) { $yes[$round] = 0 }
        if ($claim.kind -eq 'held' -and $yes[$round]) { [void]$won.Add($output) }
    }
    $errors = @{}
    # Filled by index: what went through a pipeline or came from New-Object, 5.1 turns into JSON objects instead of arrays.
    $rounds = @($null) * $count
    for ($round = 0; $round -lt $count; $round++) {
        if (-not $yes[$round]) {
            $kind = if ($caught[$round]) { Get-ErrorId $caught[$round] } else { '$false' }
            $errors[$kind] = 1 + $errors[$kind]
        }
        $rounds[$round] = $yes[$round], [Math]::Round($began[$round] / $millisecond, 3), [Math]::Round($ended[$round] / $millisecond, 3)
    }
    @{ rounds = $rounds; errors = $errors }
}

# .NET's own JSON takes a fraction of the time of the cmdlets, which is that of a claim; Windows PowerShell has only the cmdlets.
$parser = 'System.Text.Json.JsonDocument' -as [type]
$serializer = 'System.Text.Json.JsonSerializer' -as [type]

# A case stands here in one piece, because calling a function or a cmdlet costs a good part of what a claim does.
function Start-Conversation {
    while ($null -ne ($line = $requests.ReadLine())) {
        $answer = $null
        foreach ($handle in $won) { $handle.Dispose() }
        $won.Clear()
        $request = @{}
        try {
            if ($parser) {
                foreach ($field in $parser::Parse($line).RootElement.EnumerateObject()) { $request[$field.Name] = $field.Value.ToString() }
            } else {
                foreach ($field in (ConvertFrom-Json $line).PSObject.Properties) { $request[$field.Name] = [string]$field.Value }
            }
        } catch { $answer = @{ fault = "$_" } }

        $claim = if ($request.do -eq 'claim') { $claims[$request.claim] }
        if ($claim -and ($claim.supported -or (Test-Supported $claim))) {
            $name = $request.name
            $source = $request.source
            $mine = $request.mine
            $data = $request.data
            # No try but the one here may lie around a claim, see Add-Claim.
            if ($claim.guarded) {
                try { $output = & $claim.block } catch { $answer = Get-Refusal $_ }
            } else {
                $output = & $claim.block
            }
            if (-not $answer) {
                if ($output -is [array]) { $output = $output[-1] }
                if ($output -is [bool] -and -not $output) {
                    $answer = @{ said = 'no'; error = '$false' }
                } else {
                    $answer = @{ said = 'yes' }
                    if ($claim.kind -eq 'held') { $held[$request.id] = $output }
                }
            }
        } elseif (-not $answer) {
            $answer = Get-Answer $request
        }
        if (-not $answer) { $answer = @{ fault = "no answer: $($Error[0])" } }
        if ($request.ContainsKey('id')) { $answer.id = [long]$request.id }
        $text = if ($serializer) { $serializer::Serialize($answer, [hashtable]) } else { ConvertTo-Json $answer -Compress -Depth 4 }
        $answers.Write("$text`n")
        $answers.Flush()
    }
}

# Nothing that a claim prints may reach standard output, and showing an error takes longer than most claims: so all of it is dropped,
# here once for all claims. `*>` is not used for it: that would drop what a claim gives back, too.
Start-Conversation 2>$null 3>$null 6>$null
