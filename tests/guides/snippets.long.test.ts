import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { startReader } from './reader.ts'
import { chapterSnippets, guideNames, isProgram, isRun, nameOf, snippetsOf } from './snippets.ts'

/** What may stand behind a fence. Blocks that are not run say so, which those of few pages need. */
const languages = ['', 'json', 'sql', 'sh', 'bash', 'ts', 'tsx', 'sh no-run', 'ts no-run']

const runnable = guideNames.filter((guide) => snippetsOf(guide).some(isRun))

test.each(guideNames)('the blocks of the guide %s are run, or say that they are not', (guide) => {
  const snippets = snippetsOf(guide)
  expect(snippets.map(({ language }) => language).filter((language) => !languages.includes(language))).toEqual([])
  const commands = snippets.filter((one) => isRun(one) && !isProgram(one)).map(({ text }) => text)
  for (const program of snippets.filter(isProgram)) expect(commands.join('\n')).toContain(basename(nameOf(program)))
})

test('all guides do what they say beside the sample data', { timeout: 900_000 }, async ({ onTestFinished }) => {
  const read = await startReader(onTestFinished)
  const only = process.env['KONTOR_GUIDE']
  const failed: Record<string, string> = {}
  const withKey = { language: 'sh', text: 'KEY=$(cat data/demo-api-key)\n' }
  const commands = chapterSnippets.filter(({ language }) => language === 'sh')
  expect(commands.length).toBeGreaterThan(0)
  const chapters = await read([withKey, ...commands])
  if (chapters !== undefined) failed['chapters'] = chapters
  for (const guide of runnable.filter((name) => only === undefined || name === only)) {
    const fault = await read(snippetsOf(guide).filter(isRun))
    if (fault !== undefined) failed[guide] = fault
  }
  expect(failed).toEqual({})
})
