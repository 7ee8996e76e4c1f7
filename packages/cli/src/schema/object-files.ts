import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectSchemaDocument } from '@kontor/contract'
import { CommandFailed } from '../errors.ts'
import { readObjectFile, writeObjectFile, type ObjectFile } from './object-file.ts'
import { extension, yamlFilesIn } from './yaml-files.ts'

/** The folder of the objects, in the folder of a schema. */
const objectsOf = (folder: string): string => join(folder, 'objects')

/** Writes a file for each object, and returns their paths. Files of objects that are gone stay. */
export async function writeObjects(folder: string, documents: readonly ObjectSchemaDocument[]): Promise<string[]> {
  await mkdir(objectsOf(folder), { recursive: true })
  const paths: string[] = []
  for (const document of documents) {
    const path = join(objectsOf(folder), `${document.title}${extension}`)
    await writeFile(path, writeObjectFile(document))
    paths.push(path)
  }
  return paths
}

/** Reads the objects of a folder, in the order of their names; none, if it has no files of objects. */
export async function readObjects(folder: string): Promise<ObjectFile[]> {
  const names = (await yamlFilesIn(objectsOf(folder))) ?? []
  const files: ObjectFile[] = []
  for (const name of names) {
    const path = join(objectsOf(folder), name)
    const file = readObjectFile(path, await readFile(path, 'utf8'))
    if (name !== `${file.title}${extension}`)
      throw new CommandFailed(`${path} has the title "${file.title}": name the file ${file.title}${extension}.`)
    files.push(file)
  }
  return files
}
