import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext } from 'playwright-core'
import { atEnd } from './at-end.ts'

const executablePath = '/usr/bin/chromium'

export const hasChromium = existsSync(executablePath)

/** Stands in the title of what is skipped without a browser, and says how to get one. */
export const needsChromium = hasChromium
  ? ''
  : ' (skipped, needs a browser: apt-get update && apt-get install -y chromium)'

const quietly = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

type Look = {
  readonly javaScriptEnabled?: boolean
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** A real browser with a fresh profile; it closes after the file. */
export async function openChromium(look: Look = {}): Promise<BrowserContext> {
  const profile = await mkdtemp(join(tmpdir(), 'kontor-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: quietly,
    ...look,
  })
  atEnd(async () => {
    await context.close()
    await rm(profile, { recursive: true, force: true })
  })
  return context
}
