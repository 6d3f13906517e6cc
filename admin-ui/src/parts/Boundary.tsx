import { Alert, Button, Text } from "@mantine/core";
import { Component, type ReactNode } from "react";

interface Props {
  /** Where the page is: at another place what has failed is tried anew. */
  place?: string;
  children: ReactNode;
}

/**
 * Keeps a page that fails from taking all with it. What fails is a mistake of the page's, or a part of it that the
 * gateway no longer has since it is another version: both are helped by loading the page anew.
 */
export class Boundary extends Component<Props, { failure: Error | undefined }> {
  override state = { failure: undefined as Error | undefined };

  static getDerivedStateFromError(failure: unknown) {
    return { failure: failure instanceof Error ? failure : new Error(String(failure)) };
  }

  override componentDidUpdate(before: Props) {
    if (before.place !== this.props.place && this.state.failure) this.setState({ failure: undefined });
  }

  override render() {
    if (!this.state.failure) return this.props.children;
    return (
      <Alert color="red" title="This page has failed" role="alert">
        <Text size="sm">
          If the gateway has been brought up to date meanwhile, this page is still the old one: load it anew.
          It says: {this.state.failure.message}
        </Text>
        <Button mt="sm" variant="default" onClick={() => location.reload()}>
          Reload
        </Button>
      </Alert>
    );
  }
}
