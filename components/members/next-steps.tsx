import { Card } from '@/components/kit/ui/card';

interface NextStepsProps {
  title?: string;
  /** Pairs of a case and its result. */
  steps: readonly (readonly [string, string])[];
}

/** Beside a form: the result of submitting it, by case. */
export function NextSteps({ title = 'What happens next', steps }: NextStepsProps) {
  return (
    <Card title={title}>
      <dl className="space-y-3 text-sm">
        {steps.map(([when, result]) => (
          <div key={when}>
            <dt className="font-medium">{when}</dt>
            <dd className="mt-0.5 text-pretty text-ink-muted">{result}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
