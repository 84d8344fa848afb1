import pytest
import torch
from torch.nn.functional import cross_entropy, kl_div

from roundhouse_trainer import losses
from roundhouse_trainer.losses import Head, keep_loss, label_loss


@pytest.fixture(autouse=True)
def _small_slices(monkeypatch):
    monkeypatch.setattr(losses, "SLICE", 50 * 4)


@pytest.mark.parametrize(
    "head", [{}, {"factor": 0.25}, {"softcap": 2.0, "factor": 3.0}], ids=["plain", "scaled", "capped"]
)
def test_slices_give_the_same_loss_and_gradient_as_one_pass(head):
    torch.manual_seed(0)
    made = Head(torch.randn(50, 16), **head)
    hidden = torch.randn(11, 16, requires_grad=True)
    twin = hidden.detach().clone().requires_grad_()
    labels = torch.randint(0, 50, (11,))
    (label_loss(hidden, labels, made) * 3).backward()
    (cross_entropy(made.logits(twin), labels, reduction="sum") * 3).backward()
    torch.testing.assert_close(hidden.grad, twin.grad)


def test_the_keep_loss_is_the_divergence_from_the_base():
    torch.manual_seed(0)
    head = Head(torch.randn(50, 16))
    before = torch.randn(9, 16)
    hidden = torch.randn(9, 16, requires_grad=True)
    twin = hidden.detach().clone().requires_grad_()
    loss = keep_loss(hidden, before, head)
    loss.backward()
    want = kl_div(head.logits(twin).log_softmax(-1), head.logits(before).softmax(-1), reduction="sum")
    want.backward()
    torch.testing.assert_close(loss, want)
    torch.testing.assert_close(hidden.grad, twin.grad)
    assert float(keep_loss(before, before, head)) == pytest.approx(0, abs=1e-5)
