import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { memberOf } from './guards.ts'

const fileOf = (dataDir: string): string => join(dataDir, 'encryption.key')

/** The key of a folder for local files, in `DATA_DIR/encryption.key`; makes one where there is none. */
export async function folderKey(dataDir: string, newKey: () => string): Promise<string> {
  const file = fileOf(dataDir)
  await mkdir(dataDir, { recursive: true })
  try {
    // Of several servers that start in one folder, one makes the key, and the others read it.
    await writeFile(file, `${newKey()}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (memberOf(error, 'code') !== 'EEXIST') throw error
  }
  return readKey(file)
}

/** The same key, where there is one. */
export async function findFolderKey(dataDir: string): Promise<string | undefined> {
  try {
    return await readKey(fileOf(dataDir))
  } catch (error) {
    if (memberOf(error, 'code') === 'ENOENT') return undefined
    throw error
  }
}

const readKey = async (file: string): Promise<string> => (await readFile(file, 'utf8')).trim()
