using System;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Win32.SafeHandles;

// Claims are written once, for every target. Where a target's own libraries lack a call, an extension of the same form stands
// in, so that the claim compiles and is listed: where the running build has the call after all (a newer runtime than the
// SDK can target) it is bound by name, everywhere else the claim is unsupported, which Claims.Has finds out, and never made.
namespace Claimgrid
{
    static class Newer
    {
        static NotSupportedException Absent => new("this build has no such call");

        extension(File)
        {
#if !NET6_0_OR_GREATER
            public static FileStream Open(string path, FileStreamOptions options) => throw Absent;

            public static SafeFileHandle OpenHandle(
                string path, FileMode mode, FileAccess access, FileShare share = FileShare.Read, FileOptions options = FileOptions.None,
                long preallocationSize = 0) => throw Absent;

            public static FileSystemInfo CreateSymbolicLink(string path, string pathToTarget) => throw Absent;
#endif
#if !NET9_0_OR_GREATER
            public static void AppendAllBytes(string path, byte[] bytes) => throw Absent;
#endif
#if !NET11_0_OR_GREATER
            public static FileSystemInfo CreateHardLink(string path, string pathToTarget) =>
                (Late.FileCreateHardLink ?? throw Absent)(path, pathToTarget);
#endif
        }

        extension(FileSystemInfo info)
        {
#if !NET6_0_OR_GREATER
            public void CreateAsSymbolicLink(string pathToTarget) => throw Absent;
#endif
        }

        extension(FileInfo info)
        {
#if !NET11_0_OR_GREATER
            public void CreateAsHardLink(string pathToTarget) => (Late.FileInfoCreateAsHardLink ?? throw Absent)(info, pathToTarget);
#endif
        }

#if !NET10_0_OR_GREATER
        extension(ZipArchiveEntry entry)
        {
            public Task ExtractToFileAsync(string destinationFileName, bool overwrite) => throw Absent;
        }

        extension(ZipArchive archive)
        {
            public Task ExtractToDirectoryAsync(string destinationDirectoryName, bool overwriteFiles) => throw Absent;
        }
#endif
    }

    /// <summary>Apart from File's, whose stand-in has the same name and parameters.</summary>
    static class NewerDirectory
    {
        extension(Directory)
        {
#if !NET6_0_OR_GREATER
            public static FileSystemInfo CreateSymbolicLink(string path, string pathToTarget) => throw new NotSupportedException();
#endif
        }
    }

#if !NET11_0_OR_GREATER
    /// <summary>Calls that the running build may have although the target has not.</summary>
    static class Late
    {
        public static readonly Func<string, string, FileSystemInfo>? FileCreateHardLink =
            Bind<Func<string, string, FileSystemInfo>>(typeof(File), "CreateHardLink");

        public static readonly Action<FileInfo, string>? FileInfoCreateAsHardLink =
            Bind<Action<FileInfo, string>>(typeof(FileInfo), "CreateAsHardLink");

        static T? Bind<T>(Type type, string method) where T : Delegate =>
            (T?)type.GetMethods().SingleOrDefault(found => found.Name == method)?.CreateDelegate(typeof(T));
    }
#endif
}

#if !NET5_0_OR_GREATER
namespace System.Runtime.CompilerServices
{
    /// <summary>What the compiler wants to see before it compiles records.</summary>
    static class IsExternalInit;
}
#endif

#if !NET6_0_OR_GREATER
namespace System.IO
{
    sealed class FileStreamOptions
    {
        public FileMode Mode { get; set; }
        public FileAccess Access { get; set; }
        public FileShare Share { get; set; }
        public long PreallocationSize { get; set; }
    }
}
#endif
