import { expect, test } from 'vitest'
import { guideNames, snippetsOf, tabLanguages, type TabLanguage } from '../guides/snippets.ts'

type Exception = {
  readonly guide: string
  /** Text of the step, or every step of the guide. */
  readonly step?: string
  readonly without: readonly TabLanguage[]
  readonly because: string
}

const all = tabLanguages
const programs = ['ts', 'python'] as const

/** Steps with curl that lack a language, each with the reason. */
const exceptions: readonly Exception[] = [
  { guide: 'walk', without: all, because: 'the tour is one of curl' },
  { guide: 'generated-clients', without: all, because: 'it downloads a file for another program' },
  { guide: 'self-host', without: all, because: 'it is a check of the operator' },
  { guide: 'sign-in', without: all, because: 'the commands before it create the workspace, and print the token' },
  { guide: 'connect-an-app', without: ['cli'], because: 'the app is a program; `kontor login` is one of its own' },
  { guide: 'mcp', without: ['cli'], because: 'the command line does not speak MCP, and prints JSON' },
  { guide: 'receive-webhooks', step: 'RECEIVER=$!', without: all, because: 'it runs a receiver beside the commands' },
  { guide: 'receive-webhooks', step: 'receiver.py', without: all, because: 'it runs a receiver beside the commands' },
  { guide: 'receive-webhooks', step: 'follow.ts', without: all, because: 'it runs a program beside the commands' },
  { guide: 'receive-webhooks', step: 'SHOP=', without: programs, because: 'a command creates the key' },
  { guide: 'workflows', step: 'large-deals.ts', without: all, because: 'it runs a program beside the commands' },
  { guide: 'workflows', step: '"from": "failed"', without: all, because: 'no run fails while the guide is read' },
]

type Step = { readonly guide: string; readonly text: string; readonly languages: readonly string[] }

/** The steps of a guide that use curl, each with the languages of its tabs. */
function stepsOf(guide: string): Step[] {
  const steps: (Step & { readonly languages: string[] })[] = []
  let step: (typeof steps)[number] | undefined
  for (const { language, text } of snippetsOf(guide)) {
    const [tab, isTab] = language.split(' ')
    if (isTab === 'tab') step?.languages.push(tab ?? '')
    else steps.push((step = { guide, text, languages: language.startsWith('sh') ? [] : [...tabLanguages] }))
  }
  return steps.filter(({ text }) => text.includes('curl '))
}

const steps = guideNames.flatMap(stepsOf)
const isMeant = ({ guide, text }: Step, { guide: other, step = '' }: Exception): boolean =>
  guide === other && text.includes(step)

test('each step of a guide with curl is shown in TypeScript, in Python and with the command line too', () => {
  expect(steps.length).toBeGreaterThan(100)
  const missing = steps.flatMap((step) => {
    const excepted = exceptions.filter((one) => isMeant(step, one)).flatMap(({ without }) => without)
    return tabLanguages
      .filter((language) => !step.languages.includes(language) && !excepted.includes(language))
      .map((language) => `${step.guide}: ${language}: ${step.text.slice(0, 200)}`)
  })
  expect(missing).toEqual([])
})

test('each exception is needed', () => {
  const idle = exceptions.filter(
    (one) =>
      !one.without.every((language) => steps.some((step) => isMeant(step, one) && !step.languages.includes(language))),
  )
  expect(idle).toEqual([])
})
