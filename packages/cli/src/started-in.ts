import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Option } from 'commander'

/** The folder in which `npm run` was called, which changes the current one. */
export type StartedIn = { readonly startedIn?: string | undefined }

/** The option by which a command knows where it was called. */
export const startedInOption = (): Option =>
  new Option('--started-in <folder>', 'folder of relative paths, beside the current one').env('INIT_CWD').hideHelp()

/** Returns the path of a file to read: in the current folder, or where the command was called. */
export function pathToRead(given: string, { startedIn }: StartedIn): string {
  if (existsSync(given) || startedIn === undefined) return given
  const there = resolve(startedIn, given)
  return existsSync(there) ? there : given
}

/** Returns the path of a file to write. */
export const pathToWrite = (given: string, { startedIn = '' }: StartedIn): string => resolve(startedIn, given)
