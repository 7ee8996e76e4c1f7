import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { contract } from '@kontor/contract'
import { errorGuide, toOpenApi } from '@kontor/contract/openapi'
import { describe, expect, it } from 'vitest'

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

  it('lints with no problem but those that are named with a reason, and no reason is left over', () => {
    const { status, stdout, stderr } = redocly('lint', 'openapi.json', '--format', 'json')
    const ignored = read('.redocly.lint-ignore.yaml').match(/^ +- '#/gm)?.length
    expect(JSON.parse(stdout), stderr).toMatchObject({ totals: { errors: 0, warnings: 0, ignored } })
    expect(status).toBe(0)
  })

  it('has no rule switched off without a reason', () => {
    const switchedOff = read('redocly.yaml')
      .split('\n')
      .filter((line) => /:\s*(off|warn)\b/.test(line) && !line.startsWith('telemetry') && !line.includes('#'))
    expect(switchedOff).toEqual([])
  })
})
