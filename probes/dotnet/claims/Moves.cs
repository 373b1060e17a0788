using System.IO;

namespace Claimgrid;

/// <summary>A file made beside the name first, then moved onto it.</summary>
sealed class Moves : Claims
{
    public static Claim[] All =>
    [
        Create("File.Move", () => File.Move(source, name), source: "file"),
        Create("File.Move/overwrite=false", () => File.Move(source, name, overwrite: false), source: "file"),
        Create("File.Move/overwrite=true", () => File.Move(source, name, overwrite: true), source: "file"),
        Create("File.Move/link", () => File.Move(source, name), makes: "link", source: "link"),
        Create("FileInfo.MoveTo", () => new FileInfo(source).MoveTo(name), source: "file"),
        Create("FileInfo.MoveTo/overwrite=true", () => new FileInfo(source).MoveTo(name, overwrite: true), source: "file"),

        Create("File.Replace", () => File.Replace(source, name, null), source: "file"),
        Create("File.Replace/backup", () => File.Replace(source, name, mine), source: "file"),
        Create("FileInfo.Replace", () => new FileInfo(source).Replace(name, null), source: "file"),
    ];
}
