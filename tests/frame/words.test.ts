import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { beginsLikeQuestion, faultsIn, questionsIn } from './words.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = `${root}/packages/docs`

/** The texts within a document that people read: descriptions, summaries and titles, but no examples. */
function textsOf(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return ['description', 'summary', 'title', 'help'].includes(name) ? [value] : []
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(one, name))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (/^examples?$/.test(key) ? [] : textsOf(inner, key)))
}

const pages = readdirSync(`${docs}/pages`).map((name) => `packages/docs/pages/${name}`)

const ofRepository = ['README.md', 'SECURITY.md', 'docs/command-line.md', 'packages/client/README.md']

test.each([...pages, ...ofRepository])('%s is written in plain English', (path) => {
  expect(faultsIn(readFileSync(`${root}/${path}`, 'utf8'))).toEqual([])
})

test.each(['openapi.json', 'plugins.json', 'commands.json'])(
  'the descriptions in %s are written in plain English',
  (name) => {
    const texts = new Set(textsOf(JSON.parse(readFileSync(`${docs}/${name}`, 'utf8'))))
    expect(texts.size).toBeGreaterThan(20)
    expect([...texts].flatMap(faultsIn)).toEqual([])
  },
)

const decisions = readdirSync(`${root}/docs/decisions`)

test.each(decisions)('no title or sentence of docs/decisions/%s begins like a question and is none', (name) => {
  expect(questionsIn(readFileSync(`${root}/docs/decisions/${name}`, 'utf8'))).toEqual([])
})

/** Sentences in strings of a package, and other texts that begin like a question: errors, labels, help. */
const messagesIn = (name: string): string[] =>
  readdirSync(`${root}/packages/${name}/src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.includes('testing/'))
    .flatMap((file) => [
      ...readFileSync(`${root}/packages/${name}/src/${file}`, 'utf8')
        .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
        .replaceAll(/(['`])\s*\+\s*\1/g, '')
        .matchAll(/(['`])((?:\\.|(?!\1)[^\\\n])*)\1/g),
    ])
    .map(([, , text = '']) => text)
    .filter((text) => /^[A-Z"$\\].* .*[.?]$/.test(text) || (text.includes(' ') && beginsLikeQuestion(text)))

test.each(Object.entries({ client: 3, cli: 100, contract: 500, server: 800 }))(
  'the messages of %s are written in plain English',
  (name, least) => {
    const messages = messagesIn(name)
    expect(messages.length).toBeGreaterThan(least)
    const texts = messages.map((text) => text.replaceAll('\\`', '`').replaceAll(/\$\{[^}]*\}/g, '`x`'))
    expect(texts.flatMap(faultsIn)).toEqual([])
  },
)

/** Released migrations do not change, nor do their comments; a test of rules has comments that break them. */
const isExempt = (file: string): boolean =>
  file.startsWith('db/migrations/baseline/') || file === 'frame/lint-rules.test.ts'

/** The comments in sources below a folder, without their marks; lines of `//` below each other are one. */
const commentsIn = (folder: string): string[] =>
  readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file) && !file.includes('node_modules') && !isExempt(file))
    .flatMap((file) => [
      ...readFileSync(`${root}/${folder}/${file}`, 'utf8').matchAll(/\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm),
    ])
    .map(([comment]) => comment.replaceAll(/^[ \t]*(?:\/\*\*|\*\/|\*|\/\/)/gm, '').trim())

const sources = ['client', 'cli', 'contract', 'demo', 'docs', 'server'].map((name) => `packages/${name}/src`)

test.each([...sources, 'examples', 'tests', 'bench', 'tools'])(
  'comments in %s do not begin like a question',
  (folder) => {
    const comments = commentsIn(folder)
    expect(comments.length).toBeGreaterThan(20)
    expect(comments.filter(beginsLikeQuestion)).toEqual([])
  },
)

test('the rules find the sentences that they are about', () => {
  expect(faultsIn('# Lists\n\nWhat is deleted stays. The server answers.\n\n- `answer` is a name.')).toEqual([
    'begins like a question and is none: What is deleted stays.',
    'write: response, return, respond: The server answers.',
  ])
  expect(questionsIn('# 0001 What a key opens\n\n**Rules.** The server answers.')).toEqual(['What a key opens'])
  expect(faultsIn('What can you do? Use letters and digits.\n\n```sh\nask for\n```')).toEqual([])
})
