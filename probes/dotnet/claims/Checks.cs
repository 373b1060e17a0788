using System.IO;

namespace Claimgrid;

/// <summary>Look first, then make the name: what two contenders can do at once.</summary>
sealed class Checks : Claims
{
    public static Claim[] All =>
    [
        Create("File.Exists/File.WriteAllText", () =>
        {
            if (File.Exists(name)) return false;
            File.WriteAllText(name, data);
            return true;
        }, role: "check-then-act"),
        Create("File.Exists/File.Move+overwrite=true", () =>
        {
            if (File.Exists(name)) return false;
            File.Move(source, name, overwrite: true);
            return true;
        }, source: "file"),
        Create("Directory.Exists/Directory.CreateDirectory", () =>
        {
            if (Directory.Exists(name)) return false;
            Directory.CreateDirectory(name);
            return true;
        }, makes: "empty-dir"),
    ];
}
