import { readdir } from 'node:fs/promises'
import { parse, stringify } from 'yaml'
import { CommandFailed } from '../errors.ts'

export const extension = '.yaml'

/** Writes a value as YAML. */
export const yamlOf = (value: unknown): string => stringify(value, { lineWidth: 120 })

/** Parses the text of a file; throws `CommandFailed` with its path if it is not YAML. */
export function parsedYaml(path: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new CommandFailed(`${path} is no YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Resolves to undefined where a file or a folder does not exist. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}

/** The names of the YAML files in a folder, in their order; undefined if there is no such folder. */
export const yamlFilesIn = async (folder: string): Promise<string[] | undefined> =>
  (await readdir(folder).catch(absent))?.filter((name) => name.endsWith(extension)).toSorted()
