import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CommandFailed } from '../../errors.ts'
import { absent, extension, parsedYaml, yamlFilesIn, yamlOf } from '../yaml-files.ts'
import type { Content, Item, Part } from './part.ts'
import { withVariables } from './references.ts'
import { secretVariable, isSecretSetting, settingsPart } from './settings.ts'

/** An item as a file describes it, with its references unresolved. */
export type FileItem = {
  readonly path: string
  /** Its name as the file has it; what it says of variables is no secret. */
  readonly shownName: string
  /** Its name in a workspace. */
  readonly name: string
  readonly content: Content
  /** The name that the item has in workspaces where it has not been renamed yet. */
  readonly before?: string
}

const nameMax = 60

const placeOf = (folder: string, part: Part): string =>
  join(folder, part.isOneFile ? `${part.name}${extension}` : part.name)

/** Reads the files of a part; undefined if the folder does not describe it, so that it stays as it is. */
export async function readPart(folder: string, part: Part): Promise<FileItem[] | undefined> {
  const place = placeOf(folder, part)
  if (part.isOneFile) {
    const text = await readFile(place, 'utf8').catch(absent)
    return text === undefined ? undefined : settingsIn(place, text)
  }
  const names = await yamlFilesIn(place)
  if (names === undefined) return undefined
  const items: FileItem[] = []
  for (const name of names) {
    const path = join(place, name)
    const item = itemIn(part, path, await readFile(path, 'utf8'))
    const other = items.find((one) => one.name === item.name)
    if (other) throw new CommandFailed(`${path} and ${other.path} describe the same ${part.noun} "${item.shownName}".`)
    items.push(item)
  }
  return items
}

/** Parses a file of YAML that has keys and values. */
function mapIn(path: string, text: string): Content {
  const value = parsedYaml(path, text)
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new CommandFailed(`${path} has no keys and values.`)
  return value as Content
}

const settingsIn = (path: string, text: string): FileItem[] =>
  Object.entries(mapIn(path, text)).map(([key, value]) => ({
    path,
    shownName: key,
    name: key,
    content: { key, value },
  }))

function itemIn(part: Part, path: string, text: string): FileItem {
  const given = mapIn(path, text)
  if (part.title === undefined) return { path, ...namesOf(part, given), content: given }
  const { renamed_from: from, ...content } = given
  const before = from === undefined ? {} : { before: namesOf(part, { ...content, [part.title]: from }).name }
  return { path, ...namesOf(part, content), content, ...before }
}

const namesOf = ({ nameOf }: Part, content: Content): Pick<FileItem, 'shownName' | 'name'> => ({
  shownName: nameOf(content),
  name: nameOf(withVariables(content)),
})

/** Writes items into files, those that have one into the same again, and returns the paths of the files. */
export async function writePart(folder: string, part: Part, items: readonly Item[]): Promise<string[]> {
  const place = placeOf(folder, part)
  if (part === settingsPart) return [await writeSettings(place, items)]
  const present = (await readPart(folder, part)) ?? []
  await mkdir(place, { recursive: true })
  const taken = new Set(present.map(({ path }) => basename(path)))
  const paths: string[] = []
  for (const { name, content } of items) {
    const path = present.find((one) => one.name === name)?.path ?? join(place, freeName(part, name, taken))
    taken.add(basename(path))
    await writeFile(path, yamlOf(withoutDefaults(part, content)))
    paths.push(path)
  }
  return paths
}

async function writeSettings(path: string, items: readonly Item[]): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  const values = items.map(({ name, content: { value } }) => [
    name,
    isSecretSetting(name) ? `\${env:${secretVariable(name)}}` : value,
  ])
  await writeFile(path, yamlOf(Object.fromEntries(values)))
  return path
}

const withoutDefaults = ({ defaults }: Part, content: Content): Content =>
  Object.fromEntries(Object.entries(content).filter(([name, value]) => !isDeepStrictEqual(value, defaults[name])))

/** The name of a new file: letters and digits of the name of its item, and a number where that is taken. */
function freeName({ noun }: Part, name: string, taken: ReadonlySet<string>): string {
  const letters = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .slice(0, nameMax)
  const base = letters.replaceAll(/^-+|-+$/g, '') || noun
  for (let number = 1; ; number += 1) {
    const file = `${base}${number === 1 ? '' : `-${number}`}${extension}`
    if (!taken.has(file)) return file
  }
}
