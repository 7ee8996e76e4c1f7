import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { readJson } from '@kontor/contract'
import { UsageError } from './errors.ts'
import { pathToRead, type StartedIn } from './started-in.ts'

/**
 * Returns the JSON that an option gives: as it is, in a file (`@FILE`), or on stdin (`-`). Undefined if it is no JSON;
 * throws UsageError for a number that cannot be kept exactly.
 */
export async function readJsonOption(option: string, place: StartedIn): Promise<unknown> {
  const source =
    option === '-'
      ? await text(process.stdin)
      : option.startsWith('@')
        ? await readFile(pathToRead(option.slice(1), place), 'utf8')
        : option
  try {
    return readJson(source, refuseInexact)
  } catch (error) {
    if (error instanceof UsageError) throw error
    return undefined
  }
}

function refuseInexact(numeral: string): never {
  throw new UsageError(`${numeral.slice(0, 100)} has more digits than can be kept exactly.`)
}
