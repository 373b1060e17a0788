using System.IO;

namespace Claimgrid;

/// <summary>Directories made on the name or moved onto it.</summary>
sealed class Directories : Claims
{
    public static Claim[] All =>
    [
        Create("Directory.CreateDirectory", () => Directory.CreateDirectory(name), makes: "empty-dir"),
        Create("DirectoryInfo.Create", () => new DirectoryInfo(name).Create(), makes: "empty-dir"),
        Create("DirectoryInfo.CreateSubdirectory", () => Directory.GetParent(name)!.CreateSubdirectory(Path.GetFileName(name)),
            makes: "empty-dir"),

        Create("Directory.Move/empty-dir", () => Directory.Move(source, name), makes: "empty-dir", source: "empty-dir"),
        Create("Directory.Move/full-dir", () => Directory.Move(source, name), makes: "full-dir", source: "full-dir"),
        Create("Directory.Move/file", () => Directory.Move(source, name), makes: "file", source: "file"),
        Create("DirectoryInfo.MoveTo/empty-dir", () => new DirectoryInfo(source).MoveTo(name), makes: "empty-dir", source: "empty-dir"),
        Create("DirectoryInfo.MoveTo/full-dir", () => new DirectoryInfo(source).MoveTo(name), makes: "full-dir", source: "full-dir"),
    ];
}
