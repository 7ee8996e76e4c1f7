import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '@kontor/server/config'
import { fail, ok, warn, type Finding } from './finding.ts'

/** The version that Kontor is developed and tested on. */
const nodeMajor = 24

export function checkNode(): Finding {
  const major = Number(process.versions.node.split('.')[0])
  const detail = `${process.versions.node} at ${process.execPath}`
  if (major < nodeMajor)
    return fail(`${detail}; Kontor needs ${nodeMajor}. "npm start" and "npm run kontor" bring their own.`)
  return major === nodeMajor ? ok(detail) : warn(`${detail}; Kontor is tested on ${nodeMajor}.`)
}

/** Less is filled within days by a busy workspace. */
const freeBytesWanted = 1024 ** 3
const freeBytesMin = 100 * 1024 ** 2

/** Returns whether there is room, and the right to write, where DATA_DIR is or will be. */
export async function checkDataDir({ dataDir }: Config): Promise<Finding> {
  const folder = await nearestFolder(resolve(dataDir))
  try {
    await access(folder, constants.W_OK)
  } catch {
    return fail(`not allowed to write in ${folder}`)
  }
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const made = folder === resolve(dataDir) ? '' : ' (not made yet)'
  const detail = `${resolve(dataDir)}${made}, ${(free / 1024 ** 3).toFixed(1)} GiB free`
  if (free < freeBytesMin) return fail(detail)
  return free < freeBytesWanted ? warn(detail) : ok(detail)
}

/** The folder itself, or the nearest one above it that exists. */
async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() === true || dirname(path) === path ? path : nearestFolder(dirname(path))
}
