//! Pipes and devices: who writes to them waits for who reads, and the other way round, as long as that takes, unless the caller wants
//! no more.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// A file that is written to, or a pipe or a device.
pub struct Out {
    file: File,
    waits: bool,
}

impl Out {
    pub(super) fn new(file: File, waits: bool) -> Self {
        Out { file, waits }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let most = if self.waits { wait(&self.file)? } else { usize::MAX };
        self.file.write(&bytes[..bytes.len().min(most)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A file that is read, or a pipe or a device.
pub struct In {
    file: File,
    waits: bool,
}

impl In {
    /// Opens what is there under this name.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = open_to_read(path)?;
        let waits = !file.metadata()?.is_file();
        Ok(In { file, waits })
    }
}

impl Read for In {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.waits {
            wait_to_read(&self.file)?;
        }
        self.file.read(bytes)
    }
}

#[cfg(unix)]
mod system {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::io::Errno;
    use tessella_core::limits;

    use super::*;

    /// Between two looks whether the caller still wants it.
    const ASK_EVERY: Duration = Duration::from_millis(50);

    /// What a pipe takes in one go where it takes anything: `PIPE_BUF`.
    const MOST: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

    fn check() -> io::Result<()> {
        limits::check_waiting().map_err(io::Error::other)
    }

    /// Opens a pipe or a device. The system would let nobody know that a signal came while it waits for a reader.
    pub fn open(path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(OFlags::NONBLOCK.bits() as i32);
        loop {
            let file = match options.open(path) {
                Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) && is_pipe(path) => {
                    check()?;
                    std::thread::sleep(ASK_EVERY);
                    continue;
                }
                opened => opened?,
            };
            fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
            return Ok(file);
        }
    }

    /// Opens something to read. Linux tells who waits then for somebody to write that nobody has come yet, others that all is read.
    pub fn open_to_read(path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true);
        if !cfg!(target_os = "linux") || !is_pipe(path) {
            return options.open(path);
        }
        let file = options.custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
        fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
        Ok(file)
    }

    fn is_pipe(path: &Path) -> bool {
        path.metadata().is_ok_and(|found| found.file_type().is_fifo())
    }

    /// Waits until something can be written; gives how much can be without waiting again.
    pub fn wait(file: &File) -> io::Result<usize> {
        wait_for(file, PollFlags::OUT)?;
        Ok(MOST)
    }

    /// Waits until something can be read, or nothing will come any more.
    pub fn wait_to_read(file: &File) -> io::Result<()> {
        wait_for(file, PollFlags::IN)
    }

    fn wait_for(file: &File, event: PollFlags) -> io::Result<()> {
        let time = Timespec { tv_sec: 0, tv_nsec: ASK_EVERY.as_nanos() as _ };
        loop {
            match poll(&mut [PollFd::new(file, event)], Some(&time)) {
                Ok(0) | Err(Errno::INTR) => check()?,
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;

    pub fn open(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).open(path)
    }

    pub fn wait(_file: &File) -> io::Result<usize> {
        Ok(usize::MAX)
    }

    pub fn open_to_read(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub fn wait_to_read(_file: &File) -> io::Result<()> {
        Ok(())
    }
}

pub use system::open;
use system::{open_to_read, wait, wait_to_read};
