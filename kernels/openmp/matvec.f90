! SPDX-License-Identifier: Apache-2.0
! y = A x again and again, in Fortran: with and without a data region around the loop. For the
! software GPU: flang 19 has no target regions for the host's own device. The region is serial.
!
! hipgrain-run: each_time
! hipgrain-stdout: matvec: 0 wrong
! hipgrain-expect: HG803 api=malloc at=@arrays confidence=proven
!
! hipgrain-run: data_region
! hipgrain-stdout: matvec: 0 wrong
! hipgrain-expect: none

module products
  implicit none
  integer, parameter :: n = 256, rounds = 6
contains
  subroutine multiply(a, x, y)
    real(8), intent(in) :: a(n, n), x(2 * n)
    real(8), intent(out) :: y(n)
    real(8) :: total
    integer :: i, j

    !$omp target map(to: a, x) map(from: y)
    do i = 1, n
      total = 0
      do j = 1, n
        total = total + a(j, i) * x(j)
      end do
      y(i) = total
    end do
    !$omp end target
  end subroutine multiply

  integer function wrong(a, x, y)
    real(8), intent(in) :: a(n, n), x(2 * n), y(n)
    integer :: i

    wrong = 0
    do i = 1, n
      if (abs(y(i) - dot_product(a(:, i), x(1:n))) > 1d-6) wrong = wrong + 1
    end do
  end function wrong
end module products

program matvec
  use products
  implicit none
  real(8), allocatable :: a(:, :), x(:), y(:)
  character(len=32) :: variant
  integer :: i, j, step

  call get_command_argument(1, variant)
  allocate (a(n, n), x(2 * n), y(n)) ! @arrays
  do i = 1, n
    x(i) = i
    do j = 1, n
      a(j, i) = mod(i + 2 * j, 5)
    end do
  end do
  x(n + 1:) = 0
  y = 0
  if (variant == 'data_region') then
    !$omp target data map(to: a, x) map(from: y)
    do step = 1, rounds
      call multiply(a, x, y)
    end do
    !$omp end target data
  else
    do step = 1, rounds
      call multiply(a, x, y)
    end do
  end if
  print '(a, i0, a)', 'matvec: ', wrong(a, x, y), ' wrong'
end program matvec
