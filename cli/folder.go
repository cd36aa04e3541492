package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// A folder takes the files of one run. They are staged under temporary names beside their places, and put in place
// together once all are written: until then, and when one cannot be written, what was there before is untouched.
type folder struct {
	dir     string
	created string // the outermost folder that openFolder made; "" if all was there

	mu     sync.Mutex // guards what follows, which a signal may clear away
	staged []stagedFile
	temps  map[string]bool // files that are no more than a step towards one
}

type stagedFile struct{ temp, name string }

// openFolder makes the folder where it is missing, and tries whether it can be written.
func openFolder(dir string) (*folder, error) {
	f := &folder{dir: dir, created: firstMissing(dir), temps: map[string]bool{}}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("output folder %s: %w", dir, cause(err))
	}
	probe, err := f.create("probe")
	if err != nil {
		return nil, fmt.Errorf("output folder %s: %w", dir, cause(err))
	}
	probe.Close()
	return f, os.Remove(probe.Name())
}

// firstMissing returns the outermost part of dir that does not exist, "" if all exist.
func firstMissing(dir string) string {
	missing := ""
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return missing
		}
		missing = dir
		parent := filepath.Dir(dir)
		if parent == dir {
			return missing
		}
		dir = parent
	}
}

// cause strips the operation and the temporary name from an error of package os.
func cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// create opens a new file with a temporary name and the permissions of an ordinary one, which os.CreateTemp does not
// give.
func (f *folder) create(name string) (*os.File, error) {
	for i := os.Getpid(); ; i++ {
		temp := filepath.Join(f.dir, fmt.Sprintf(".%s.%d.tmp", name, i))
		file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// stage writes a file under a temporary name.
func (f *folder) stage(name string, write func(io.Writer) error) error {
	file, err := f.create(name)
	if err != nil {
		return f.failed(name, err)
	}
	f.mu.Lock()
	f.staged = append(f.staged, stagedFile{file.Name(), name})
	f.mu.Unlock()

	buffer := bufio.NewWriterSize(file, 1<<16)
	err = write(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = file.Sync() // a name that stands after a power failure stands for the whole file
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return f.failed(name, err)
	}
	return nil
}

// temp opens a file that discard removes, if removeTemp has not.
func (f *folder) temp(name string) (*os.File, error) {
	file, err := f.create(name)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.temps[file.Name()] = true
	return file, nil
}

func (f *folder) removeTemp(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.temps, path)
	return os.Remove(path)
}

func (f *folder) failed(name string, err error) error {
	return fmt.Errorf("%s: %w", filepath.Join(f.dir, name), cause(err))
}

// commit removes those of the leftovers that were not staged, and puts the staged files in place.
func (f *folder) commit(leftovers []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.staged {
		if info, err := os.Lstat(filepath.Join(f.dir, s.name)); err == nil && info.IsDir() {
			return f.failed(s.name, errors.New("is a folder"))
		}
	}
	for _, name := range leftovers {
		if slices.ContainsFunc(f.staged, func(s stagedFile) bool { return s.name == name }) {
			continue
		}
		if err := removeFile(filepath.Join(f.dir, name)); err != nil {
			return f.failed(name, err)
		}
	}
	for len(f.staged) > 0 {
		s := f.staged[0]
		if err := os.Rename(s.temp, filepath.Join(f.dir, s.name)); err != nil {
			return f.failed(s.name, err)
		}
		f.staged = f.staged[1:]
	}
	f.created = ""
	return nil
}

// removeFile removes a file or a link, if there is one. A folder of that name is somebody else's.
func removeFile(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// discard removes what is staged and not yet in place, the other temporary files, and the folder if this run made it
// and nothing is in it.
func (f *folder) discard() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.staged {
		os.Remove(s.temp)
	}
	for temp := range f.temps {
		os.Remove(temp)
	}
	f.staged = nil
	clear(f.temps)
	if f.created == "" {
		return
	}
	for dir := f.dir; os.Remove(dir) == nil && dir != f.created; {
		dir = filepath.Dir(dir)
	}
}

// names returns the files that are staged.
func (f *folder) names() []string {
	var names []string
	for _, s := range f.staged {
		names = append(names, s.name)
	}
	return names
}
