import { readFile } from 'node:fs/promises'
import type { Connected } from '../connection.ts'
import { CommandFailed } from '../errors.ts'
import { readObjects, writeObjects } from './object-files.ts'
import type { ObjectFile } from './object-file.ts'
import { parts } from './parts/all.ts'
import { readPart, writePart } from './parts/files.ts'
import type { PartFiles } from './parts/plan.ts'
import { readIds, variable, variablesIn, withReferences, type Ids } from './parts/references.ts'
import { listDocuments } from './workspace.ts'

/** Names of what a folder can describe. */
export const folderParts = ['objects', ...parts.map(({ name }) => name)]

/** The parts that a command is limited to; all, if undefined. */
export type Only = readonly string[] | undefined

const isChosen = (only: Only, name: string): boolean => only?.includes(name) ?? true

/** The content of a folder; parts that it has no files of stay as they are. */
export type Folder = { readonly objects: readonly ObjectFile[]; readonly parts: readonly PartFiles[] }

/** Reads a folder. */
export async function readFolder(folder: string, only: Only): Promise<Folder> {
  const objects = isChosen(only, 'objects') ? await readObjects(folder) : []
  const described: PartFiles[] = []
  for (const part of parts.filter(({ name }) => isChosen(only, name))) {
    const files = await readPart(folder, part)
    if (files !== undefined) described.push({ part, files })
  }
  if (objects.length === 0 && described.length === 0)
    throw new CommandFailed(`There is nothing in ${folder}: "kontor schema pull" writes the files.`)
  return { objects, parts: described }
}

/** Writes what a workspace has as files, and returns their paths. Files of what is gone stay. */
export async function writeFolder(connected: Connected, folder: string, only: Only): Promise<string[]> {
  const paths = isChosen(only, 'objects') ? await writeObjects(folder, await listDocuments(connected)) : []
  const chosen = parts.filter(({ name }) => isChosen(only, name))
  const ids: Ids = chosen.length === 0 ? new Map() : await readIds(connected)
  for (const part of chosen) {
    const present = (await readPart(folder, part)) ?? []
    const items = (await part.list(connected)).filter(
      ({ name, isUnmanaged }) => !isUnmanaged || present.some((file) => file.name === name),
    )
    requireNames(part.noun, items)
    const secrets = await valuesIn(present.map(({ path }) => path))
    const written = items.map((item) => ({ ...item, content: withReferences(item.content, ids, secrets) }))
    paths.push(...(await writePart(folder, part, written)))
  }
  return paths
}

/** A file stands for one thing in every workspace, by its name. */
function requireNames(noun: string, items: readonly { readonly name: string }[]): void {
  const names = items.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new CommandFailed(
      `The workspace has several of the ${noun} "${twice}", and a file describes one. Rename all but one of them.`,
    )
}

/** Values shorter than this are no secrets, and occur in other texts. */
const valueMin = 6

/** The values of the variables that files name: a file that is written again names them again. */
async function valuesIn(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>()
  for (const path of paths)
    for (const name of variablesIn(await readFile(path, 'utf8'))) {
      const value = variable(name)
      if (value !== undefined && value.length >= valueMin) values.set(value, name)
    }
  return values
}
