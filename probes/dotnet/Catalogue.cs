namespace Claimgrid;

/// <summary>Every claim of this probe: each file below claims/ has its part.</summary>
static class Catalogue
{
    public static Claim[] All =>
    [
        .. FileStreams.All, .. FileHandles.All, .. Files.All, .. FileInfos.All, .. Moves.All, .. Copies.All,
        .. Directories.All, .. Links.All, .. Archives.All, .. Checks.All, .. Takes.All, .. Holds.All, .. Looks.All,
    ];
}
