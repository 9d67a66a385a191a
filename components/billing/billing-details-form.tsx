'use client';

import { SelectField, TextAreaField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { notify } from '@/components/kit/ui/notify';
import { setBillingDetails } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';
import { countries, countryName } from '@/lib/format/countries';
import { paths } from '@/lib/paths';
import { type BillingDetails, billingDetailsOf, billingDetailsSchema, inputsOf } from './billing-details-values';

const options = countries
  .map((value) => ({ value, label: countryName(value) }))
  .sort((one, other) => one.label.localeCompare(other.label, 'en'));

/** Name, address, tax ID and contact of the invoices to come. */
export function BillingDetailsForm({ details }: { details: BillingDetails }) {
  const { project, api } = useProject();
  const form = useSchemaForm(billingDetailsSchema, inputsOf(details));
  const save = api.useMutation('put', '/api/v1/billing/details');
  const { control } = form;
  return (
    <FormShell
      form={form}
      loading={false}
      error={save.error}
      failure="The billing details could not be saved"
      submitLabel="Save billing details"
      operation="setBillingDetails"
      cancel={paths.invoices(project.slug)}
      copy={{ operation: setBillingDetails, schema: billingDetailsSchema, body: billingDetailsOf }}
      onSubmit={async (values) => {
        const saved = await save.mutateAsync({ body: billingDetailsOf(values) });
        form.reset(inputsOf(saved));
        void notify('success', 'Billing details saved');
      }}
    >
      <TextField
        control={control}
        name="name"
        label="Name"
        description="The company or person that the invoices are addressed to."
        autoComplete="organization"
      />
      <TextAreaField
        control={control}
        name="address_lines"
        label="Address"
        description="Street, building or post box. Up to four lines."
        rows={3}
      />
      <TextField
        control={control}
        name="postal_code"
        label="Postal code"
        autoComplete="postal-code"
        width="short"
        optional
      />
      <TextField control={control} name="city" label="City" autoComplete="address-level2" />
      <TextField control={control} name="region" label="State or province" autoComplete="address-level1" optional />
      <SelectField control={control} name="country" label="Country" options={options} placeholder="Choose a country" />
      <TextField
        control={control}
        name="tax_id"
        label="Tax ID"
        description="VAT number, GST number or the like. Printed on the invoices."
        autoComplete="off"
        optional
      />
      <TextField
        control={control}
        name="email"
        label="E-mail for invoices"
        description="Printed on the invoices as the contact for payments."
        type="email"
        inputMode="email"
        autoComplete="email"
        optional
      />
    </FormShell>
  );
}
