import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contract } from '@kontor/contract'
import { errorGuide, toOpenApi } from '@kontor/contract/openapi'
import { describe, expect, it, onTestFinished } from 'vitest'

const docs = new URL('../../packages/docs/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, docs), 'utf8')

const redocly = (...args: string[]) =>
  spawnSync(fileURLToPath(new URL('node_modules/.bin/redocly', docs)), args, {
    cwd: docs,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })

describe('the committed reference', () => {
  it('is what the contract says now (else: node packages/docs/src/build.ts)', () => {
    const origin = 'http://127.0.0.1:4000'
    expect(JSON.parse(read('openapi.json'))).toEqual(
      JSON.parse(JSON.stringify(toOpenApi(contract, { serverUrl: `${origin}/v1`, authUrl: origin }))),
    )
    expect(read('pages/errors.md')).toContain(errorGuide)
  })

  it('lints with zero problems', () => {
    const { status, stdout, stderr } = redocly('lint', 'openapi.json', '--format', 'json')
    expect(JSON.parse(stdout), stderr).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] })
    expect(status).toBe(0)
  })

  it('builds into one page that loads nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'reference-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const page = join(folder, 'index.html')
    expect(redocly('build-docs', 'openapi.json', '--output', page, '--inlineBundle').status).toBe(0)
    // The scripts and styles are in the page, so what stands before them is all that a browser could fetch.
    const head = readFileSync(page, 'utf8').split('<style')[0]
    expect(head).toContain("default-src 'none'")
    expect([...(head?.matchAll(/(?:src|href)="([^"]*)"/g) ?? [])].map(([, url]) => url)).toEqual(['data:,'])
    expect(readFileSync(page, 'utf8')).not.toMatch(/<script[^>]*\ssrc=|<link[^>]*href="https?:/)
  })

  it('has no rule switched off without a reason', () => {
    const switchedOff = read('redocly.yaml')
      .split('\n')
      .filter((line) => /:\s*(off|warn)\b/.test(line) && !line.startsWith('telemetry') && !line.includes('#'))
    expect(switchedOff).toEqual([])
  })
})
