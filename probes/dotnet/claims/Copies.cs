using System.IO;

namespace Claimgrid;

/// <summary>A file copied onto the name.</summary>
sealed class Copies : Claims
{
    public static Claim[] All =>
    [
        Create("File.Copy", () => File.Copy(source, name), source: "file"),
        Create("File.Copy/overwrite=false", () => File.Copy(source, name, overwrite: false), source: "file"),
        Create("File.Copy/overwrite=true", () => File.Copy(source, name, overwrite: true), source: "file"),
        Create("FileInfo.CopyTo", () => new FileInfo(source).CopyTo(name), source: "file"),
        Create("FileInfo.CopyTo/overwrite=true", () => new FileInfo(source).CopyTo(name, overwrite: true), source: "file"),
    ];
}
