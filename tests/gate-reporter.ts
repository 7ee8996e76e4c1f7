import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const slowestShown = 10

const nameOf = (module: TestModule): string =>
  `${module.project.name} ${relative(import.meta.dirname, module.moduleId)}`

const secondsOf = (ms: number): string => (ms / 1000).toFixed(1)

/**
 * Prints at the end of `npm test` the slowest files, the tests that needed a second try, and the number that passed.
 */
export class GateReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()].map((test) => ({ module, test })))
    const slowest = modules
      .toSorted((a, b) => b.diagnostic().duration - a.diagnostic().duration)
      .slice(0, slowestShown)
      .map((module) => `  ${secondsOf(module.diagnostic().duration)} s  ${nameOf(module)}`)
    const flaky = tests
      .filter(({ test }) => test.diagnostic()?.flaky)
      .map(({ module, test }) => `  ${nameOf(module)} > ${test.fullName}`)
    const count = (state: ReturnType<TestCase['result']>['state']) =>
      tests.filter(({ test }) => test.result().state === state).length
    process.stdout.write(
      [
        '',
        'The slowest files:',
        ...slowest,
        flaky.length === 0 ? 'No test needed a second try.' : 'Flaky, passed on their second try:',
        ...flaky,
        `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`,
        '',
      ].join('\n'),
    )
  }
}
